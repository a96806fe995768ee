from scenemem.embedded.dates import find_dates

__all__ = ["find_dates"]
