"""What stands between the memory and a language model: addresses, adaption, prompts, parsing.

`scenemem.chat_model` sends requests and `scenemem.model_engine` makes and reads them; here are the
parts that they are put together from, most of them pure.
"""
