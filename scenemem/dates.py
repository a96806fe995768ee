from scenemem.embedded.dates import find_dates
