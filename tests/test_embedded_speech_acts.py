"""Speech acts: hypotheticals, questions, quotes, roles, instructions, small talk are no facts."""

from __future__ import annotations

import pytest

from scenemem.engines.rules.sentence import Sentence
from scenemem.engines.rules.statements import act_of, read_statements


def kept(message: str) -> list[str]:
    return [statement.text for statement in read_statements(message)]


# --- what is not kept ----------------------------------------------------------------------------

HYPOTHETICALS = """
If I moved to Oslo I'd need a warm coat.
If I had a dog, I would call it Rex.
I'd buy a boat if I won the lottery.
I would move to Canada if my boss let me.
What if I became a vegetarian?
What if I just quit my job and went sailing.
Suppose I had three children.
Let's say I earn 100,000 a year.
Imagine I'm allergic to wheat.
Say I wanted to learn the harp.
Assuming I were a doctor, the hours would kill me.
Had I known about the strike, I would have flown.
I wish I lived in Lisbon.
I wish I had a garden.
If only I spoke Korean.
Hypothetically, I work for the secret service.
Unless I get a raise, I'll leave for Berlin.
If we moved the office to Leeds, half the team would quit.
Were I to marry Anna, we would live in Turin.
I might take up smoking if I lived in Paris.
I could have been a dancer.
Wenn ich in Wien leben würde, wäre ich jeden Abend in der Oper.
Si j'habitais à Lyon, je mangerais mieux.
Si tuviera un perro, lo llamaría Max.
Если бы я жил в Риме, я бы ел пасту.
如果我住在巴黎，我会每天吃面包。
""".strip().splitlines()

QUESTIONS = """
Do I like sushi?
do i like sushi
Am I allergic to penicillin?
Where did I park the car?
where do I live
Which of my sisters lives in York?
Have I ever been to Japan?
Is my flight on Tuesday?
Should I sell the house in Bonn?
The demo is on Friday, right?
You like jazz, don't you?
Can you remember what my dog is called?
I wonder if I left the stove on.
Magst du Sushi?
Est-ce que j'habite à Paris ?
¿Tengo un perro?
我喜欢寿司吗？
我住在北京吗
私は犬が好きですか？
Я живу в Москве?
هل أحب السوشي؟
""".strip().splitlines()

QUOTES = """
He said "I hate dogs", can you believe it?
My brother told me "I love skiing in Norway".
"I am moving to Peru," she said.
Anna wrote: “I'm pregnant with twins”.
Tom was like "my wife left me".
And then the clown shouted 'I live in a barrel'!
The sticker on his van reads "I brake for llamas".
Er sagte „Ich hasse Hunde“.
Elle a dit « Je déteste Paris ».
""".strip().splitlines()

ROLES = """
Pretend I'm a pirate captain named Red.
Let's pretend we own a castle in Spain.
Imagine you are a doctor and I'm your patient with gout.
Act as a travel agent and I'm a customer from Mars.
You are now a talking cat called Minka.
From now on you are my butler James.
Play the role of my grandmother from Sicily.
Let's role-play: I'm a spy in Vienna.
In this story I'm a dragon with three heads.
My character is a blind swordsman from Kyoto.
I'm a millionaire with nine yachts, just kidding.
Stell dir vor, ich bin ein Ritter.
假装我是海盗船长。
""".strip().splitlines()

INSTRUCTIONS = """
Write me a poem about autumn.
Explain how photosynthesis works.
Give me five tips for better sleep.
Translate this into French: I live in a small house in Rome.
Summarize the following: I was born in Peru and moved to Chile.
List the capitals of Europe.
Please tell me about the history of Rome.
Help me with the essay.
""".strip().splitlines()

SMALL_TALK = """
Hi!
Hey there, how are you?
Thanks so much, that's really kind of you!
Wow, that's amazing!
Sounds great!
Good luck with everything!
Congratulations!
You're welcome.
Talk to you soon!
I'm so glad to hear that.
Okay.
Haha, nice one!
You are such a good friend!
Danke schön!
Merci beaucoup !
¡Muchas gracias!
Спасибо!
你好！
你好，我的朋友。
好的，谢谢你的建议。
ありがとうございます。
شكرا
안녕하세요
""".strip().splitlines()


MORE = """
If I ever move to Tokyo, I'll learn Japanese.
If I were you, I'd sell the car.
I'd be a terrible vegan if I tried.
Even if I won a million I would keep my job.
Would I enjoy skydiving?
would i enjoy skydiving
Am I a vegetarian?
So what's my favorite color?
Remind me, where do I work?
Do you think I should become a vegan?
She said: "I'm moving to Rome."
"I'm a huge fan of techno", my neighbour told me.
My dad always says "I hate Mondays".
According to Tom, "I am the best cook in Leeds".
He goes, "I can't stand cats".
My friend texted me: 'I got a new dog'.
You are a grumpy wizard named Alfred.
Act like you're my boss at a bank.
Let's imagine I am the king of Sweden.
Let's play a game where I'm a detective in Paris.
Roleplay as a nurse. I'm your patient and I have diabetes.
For this exercise, assume I have two kids.
Suppose we moved to Bergen next year.
In a hypothetical world, I'm married to a duke.
For the sake of argument, I'm a smoker.
What would happen if I quit my job?
If only I had a sister.
I wish I could play the violin.
If I was rich, I'd buy a house in Nice.
Should I get a cat or a dog?
Can you tell me if I'm allergic to nuts?
Is it true that I live in Oslo?
I wonder whether I like opera.
Wouldn't it be funny if I became a priest?
Write a story in which I am a pirate living in Cuba.
Write a cover letter: I have ten years of experience at Siemens.
Rewrite this sentence: I love my job at the bakery.
What does "I am a donut" mean in German?
How do you say "I live in Berlin" in French?
The song goes "I will survive".
The protagonist says "I killed him".
I read a book where the hero says "I am a vampire".
Just kidding, I don't have nine cats.
Imagine that I live on Mars.
Let us pretend I have a sister named Zoe.
Pretend to be my wife Julia.
In my novel, I'm a blind painter.
As a joke, tell people I live in a cave.
Hypothetically speaking, if I sold my kidney, how much would I get?
Say I was born in 1980, how old am I?
If my boss fired me, I'd move back to Spain.
Were I younger, I'd join the navy.
Let's assume I earn 50k.
I could see myself living in Lisbon if things were different.
He claims "I own three boats".
Ob ich Sushi mag?
Wenn ich reich wäre, würde ich ein Boot kaufen.
Mein Bruder sagt: „Ich liebe Techno“.
もし私が医者なら、毎日忙しいでしょう。
要是我有钱，我就买房。
Would you say I'm a good cook?
If I end up in Madrid I'd rent a flat near the river.
I'd be living in Oslo by now if the visa had come through.
Assume for a moment that I'm left-handed.
Imagine being allergic to water.
What if my name was Karl?
My roommate goes "I never eat vegetables".
As my aunt used to say, "I am married to the sea".
"I love cilantro," says my uncle every time.
The email from Bob said "I quit, effective Monday".
In the movie he says 'I see dead people'.
Do we own a dog?
Where was I born?
Who is my dentist?
Is my wife called Anna?
Did I tell you I'm vegan?
Could I be lactose intolerant?
You be the teacher and I'm a naughty pupil from Rome.
Be my therapist: I'm a sad clown from Moscow.
Let's do a role play where I'm a nurse in Kabul.
I want you to act as a Linux terminal.
Pretend that my name is Zorro.
Make believe I'm a ghost.
Can you write a biography of me as a famous painter from Delft?
Draft a tweet saying I love Mondays.
Fix the grammar: I has three brother in Lima.
Translate "I am from Cuba" to German.
What is the meaning of "my heart is in the highlands"?
Had I stayed in Rome, I would be fluent by now.
I would have become a pilot.
I'd have loved to study law.
Wish I had a pool.
Suppose my salary doubled.
Maybe if I had more time I'd learn Welsh.
Would that I were taller.
It would be nice to live in Nice.
In theory I could work from Mars.
Lo único que dijo fue "yo odio el fútbol".
Wäre ich König, hätte ich ein Schloss.
Si j'étais riche, j'achèterais un bateau.
你觉得我胖吗？
もし私が鳥なら、飛びたい。
""".strip().splitlines()


@pytest.mark.parametrize(
    "message", [*MORE, *HYPOTHETICALS, *QUESTIONS, *QUOTES, *ROLES, *INSTRUCTIONS, *SMALL_TALK]
)
def test_what_is_not_stated_is_not_kept(message: str) -> None:
    assert kept(message) == []


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("If I had a dog, I'd call it Rex.", "hypothetical"),
        ("Do I like sushi?", "question"),
        ('He said "I hate dogs".', "quote"),
        ("In this game, I'm a wizard.", "role play"),
        ("Explain gravity.", "instruction"),
        ("That's so cool!", "small talk"),
        ("I moved to Oslo.", None),
    ],
)
def test_every_act_is_told_by_its_name(message: str, expected: str | None) -> None:
    assert act_of(Sentence.of(message)) == expected


def test_a_role_takes_the_rest_of_its_message_with_it() -> None:
    message = "Pretend I'm a pirate. I have a wooden leg. My ship is called Marigold."
    assert kept(message) == []


def test_a_text_to_work_on_is_not_said_by_the_user() -> None:
    assert kept("Please proofread this:\nI was born in Lima. My wife is called Rosa.") == []


def test_what_is_to_be_remembered_is_kept_even_behind_a_text_to_work_on() -> None:
    message = "Translate this: I live in Rome.\nRemember that my deadline is 4 June."
    assert kept(message) == ["Remember that my deadline is 4 June."]
