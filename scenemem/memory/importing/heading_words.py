"""Words that head a line (`Note:`, `Ingredients:`, `Zutaten:`) and are nobody's name.

A transcript's line that begins with a few words and a colon may be somebody speaking or a part of
what somebody says. No list can be complete; this one has the headings that people and assistants
write most, in a few languages. Months are not in it, for April, May and June speak, too.
"""

_WORDS = """
action actions address advantage advantages agenda also answers attachment attendees
background benefit benefits bonus bottom bring budget but cause caution cc changes check
conclusion cons contact contents context cost costs date deadline decision decisions def
definition description details difference disadvantages done due edit email emails error
example examples exercise fact facts finally first fix focus formula from fun fyi goal goals
hint homework idea ideas important info ingredients input instructions issue issues item items
key last link links list location materials meaning method monday tuesday wednesday thursday
friday saturday sunday more name names needed next nb note notes objective open option options
other outcome output overview password payment people phone place plan plans point points pps
price priority problem problems process pro pros ps purpose questions quote quotes re reason
reasons reference references remaining remember reminder requirements responsibilities result
results risk risks rule rules schedule score second section sent solution solutions source
sources stage status step steps strategy subject subtotal suggestion suggestions summary
supplies task tasks technique theme then third time times tip tips title to todo today tomorrow
tonight tools topic topics total update updates url use verdict version via voice vs warning
website what when where which who why yesterday
duration export minutes participants recording transcript
achtung adresse anhang aufgabe aufgaben beispiel betreff bitte datum ergebnis fazit frage
hinweis nachtrag notiz ort preis problem tipp termin thema uhrzeit wichtig zutaten ziel
asunto dirección ejemplo fecha hora importante ingredientes lugar nota ojo precio problema
recuerda resumen tarea tareas
adresse attention exemple heure ingrédients objet prix rappel remarque résumé sujet
例 備考 注意 注 場所 日時 件名 追伸 附言 备注 地点 时间
"""

HEADING_WORDS = frozenset(_WORDS.split())
