"""What every part stands on: records, errors, checks, text, sentences, days, secrets."""
