"""The words of dates in English, German, French, Spanish, Chinese, Japanese and Russian, as tables.

`finding` builds its patterns from these and reads the matched words back through them. A table
maps the word, in lower case, to its value, over all languages together.
"""

from __future__ import annotations

from typing import Final

from scenemem.base.dates.day_spans import Which

_MONTHS: Final = (
    "january jan januar jänner janvier enero января январь",
    "february feb februar février fevrier febrero февраля февраль",
    "march mar märz mars marzo марта март",
    "april apr avril abril апреля апрель",
    "may mai mayo мая май",
    "june jun juni juin junio июня июнь",
    "july jul juli juillet julio июля июль",
    "august aug août aout agosto августа август",
    "september sept sep septembre septiembre сентября сентябрь",
    "october oct oktober octobre octubre октября октябрь",
    "november nov novembre noviembre ноября ноябрь",
    "december dec dezember décembre decembre diciembre декабря декабрь",
)
_WEEKDAYS: Final = (
    "monday mon montag lundi lunes понедельник 一 月",
    "tuesday tues tue dienstag mardi martes вторник 二 火",
    "wednesday wed weds mittwoch mercredi miércoles miercoles среду 三 水",
    "thursday thurs thur thu donnerstag jeudi jueves четверг 四 木",
    "friday fri freitag vendredi viernes пятницу 五 金",
    "saturday sat samstag sonnabend samedi sábado sabado субботу 六 土",
    "sunday sun sonntag dimanche domingo воскресенье 日 天",
)
MONTHS: Final = {word: i + 1 for i, row in enumerate(_MONTHS) for word in row.split()}
WEEKDAYS: Final = {word: i for i, row in enumerate(_WEEKDAYS) for word in row.split()}

# Season -> its first month (meteorological, northern); each lasts three months.
SEASONS: Final = {
    word: month
    for month, row in {
        3: "spring frühling frühjahr printemps primavera 春天 春",
        6: "summer sommer été ete verano 夏天 夏",
        9: "autumn fall herbst automne otoño 秋天 秋",
        12: "winter hiver invierno 冬天 冬",
    }.items()
    for word in row.split()
}

_WHICH_ROWS: Final[dict[Which, str]] = {
    "last": "last past previous letzte letzten letztes letzter letztem vorige voriges vorigen"
    " voriger vergangene vergangenes vergangenen dernier dernière derniere passé passée pasado"
    " pasada última último прошлой прошлом прошлый прошлую прошлое 上 先 昨 去",
    "next": "next nächste nächsten nächstes nächster kommende kommenden kommendes prochain"
    " prochaine próximo próxima proximo proxima viene следующей следующем следующий следующую"
    " 下 来 來 明",
    "this": "this coming upcoming diese diesen dieses dieser diesem cette cet ce este esta"
    " этой этом 这 這 本 今",
    "last but one": "vorletzte vorletzten vorletztes vorletzter 上上 先々 前",
    "next but one": "übernächste übernächsten übernächstes 下下 再来 后 後",
}

UNITS: Final[dict[str, str]] = {
    word: unit
    for unit, row in {
        "day": "day days night nights tag tagen tage jour jours día días dia dias 天 日"
        " день дня дней",
        "week": "week weeks wk wks woche wochen semaine semaines semana semanas"
        " 周 週 星期 礼拜 週間 неделю недели недель неделе",
        "fortnight": "fortnight fortnights",
        "weekend": "weekend weekends wochenende wochenenden week-end 周末 週末",
        "month": "month months monat monate monaten mois mes meses 月 个月 個月 か月 ヶ月 カ月"
        " месяц месяца месяцев месяце",
        "year": "year years yr yrs jahr jahre jahren an ans année années annee año años 年"
        " год года лет году",
        "decade": "decade decades jahrzehnt jahrzehnten décennie décennies década décadas",
    }.items()
    for word in row.split()
}

UNITS["fin de semana"] = "weekend"

# How many: the least and the most that the word means.
_COUNTS: Final = {
    (1, 1): "a an one ein eine einem einer einen un une una uno 一 один одну",
    (2, 2): "two couple zwei deux dos 二 两 兩 два две paar",
    (3, 3): "three drei trois tres 三 три",
    (4, 4): "four vier quatre cuatro 四 четыре",
    (5, 5): "five fünf cinq cinco 五 пять",
    (6, 6): "six sechs seis 六 шесть",
    (7, 7): "seven sieben sept siete 七 семь",
    (8, 8): "eight acht huit ocho 八 восемь",
    (9, 9): "nine neun neuf nueve 九 девять",
    (10, 10): "ten zehn dix diez 十 десять",
    (11, 11): "eleven elf onze once",
    (12, 12): "twelve zwölf douze doce",
    (15, 15): "fifteen",
    (20, 20): "twenty",
    (2, 4): "few einigen wenigen quelques unos unas 几 幾 数 несколько",
    (3, 7): "several mehreren plusieurs varios varias 好几",
}
COUNTS: Final = {word: span for span, row in _COUNTS.items() for word in row.split()}

# A word that points back, on, or at the present.
WHICH: Final[dict[str, Which]] = {
    word: which for which, row in _WHICH_ROWS.items() for word in row.split()
}

# A named day -> its distance from the day of speaking.
NAMED_DAYS: Final = {
    phrase: days
    for days, row in {
        -2: "the day before yesterday|day before yesterday|vorgestern|avant-hier|anteayer"
        "|前天|一昨日|おととい|позавчера",
        -1: "yesterday|last night|gestern|hier soir|hier|ayer|anoche|昨天|昨晚|昨日|昨夜|вчера",
        0: "today|tonight|this morning|this afternoon|this evening|heute|aujourd'hui"
        "|ce matin|ce soir|hoy|esta mañana|esta tarde|esta noche|今天|今早|今晚|今日|今朝|сегодня",
        1: "tomorrow|morgen|demain|mañana|明天|明日|明晚|завтра",
        2: "the day after tomorrow|day after tomorrow|übermorgen|après-demain|pasado mañana"
        "|后天|後天|あさって|明後日|послезавтра",
    }.items()
    for phrase in row.split("|")
}

# Days of the year with a fixed date: month, day.
HOLIDAYS: Final = {
    "christmas eve": (12, 24),
    "christmas": (12, 25),
    "new year's eve": (12, 31),
    "new year's": (1, 1),
    "valentine's day": (2, 14),
    "valentine's": (2, 14),
    "halloween": (10, 31),
    "st. patrick's day": (3, 17),
    "independence day": (7, 4),
    "weihnachten": (12, 25),
    "silvester": (12, 31),
    "noël": (12, 25),
    "navidad": (12, 25),
}

MONTH_NAMES: Final = (
    "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December",
)  # fmt: skip
