"""What is written down from the command line is recalled; what a session writes down is its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Run

from scenemem import CellDraft, MemoryDB, MemoryManager, recall
from scenemem.agent.function_tool import ToolContext
from scenemem.agent.tools import MemoryTools
from scenemem.memory import notebook_changes
from scenemem.memory.forgetting import forget_fact, forget_global, forget_note
from scenemem.memory.written_down import NOTEBOOK_SCENE, SHARED_SESSION

KEY = "sk-proj-Zx81mQpL0aRtYvBn4Wc7Ds2Ef5Gh9Jk3"


def remember(db: MemoryDB, key: str, value: object, session: str = "cli") -> None:
    notebook_changes.remember(db, session, key, value, "short", actor="cli", recalled=True)


def jot(db: MemoryDB, note: str) -> None:
    notebook_changes.jot(db, "cli", note, actor="cli", recalled=True)


def found(db: MemoryDB, query: str) -> list[str]:
    return [hit.text for hit in recall(db, query)]


def in_file(path: Path, word: str) -> bool:
    return word.encode() in path.read_bytes()


# -- from the shell ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "value", "query", "shown"),
    [
        ("locale", "en_US", "which locale do I use?", "locale: en_US"),
        ("dark_mode", "false", "dark mode", "dark_mode: false"),
        ("Lieblingsgericht", "Käsespätzle", "Lieblingsgericht", "Lieblingsgericht: Käsespätzle"),
        ("好きな食べ物", "寿司", "寿司", "好きな食べ物: 寿司"),
        ("team", '{"name": "blue"}', "team blue", 'team: {"name": "blue"}'),
    ],
)
def test_what_is_remembered_in_the_shell_is_recalled(
    run: Run, path: Path, key: str, value: str, query: str, shown: str
) -> None:
    assert run("-d", str(path), "remember", key, value).returncode == 0
    assert shown in run("-d", str(path), "recall", query).stdout
    with MemoryDB(path) as db:
        assert found(db, query) == [shown]


def test_a_note_is_recalled_until_it_is_forgotten(run: Run, path: Path) -> None:
    run("-d", str(path), "jot", "Der Schlüssel liegt unter der Fußmatte")
    assert "Fußmatte" in run("-d", str(path), "recall", "Schlüssel").stdout
    assert run("-d", str(path), "jot", "--forget", "1").returncode == 0
    assert "Nothing remembered" in run("-d", str(path), "recall", "Schlüssel").stdout
    assert not in_file(path, "matte")


def test_a_session_of_a_name_keeps_its_facts_to_itself_and_is_told_so(run: Run, path: Path) -> None:
    done = run("-d", str(path), "remember", "--session", "trip", "hotel", "Aurora")
    assert done.stdout == 'hotel = "Aurora"  (trip, short term; only trip sees it)\n'
    run("-d", str(path), "jot", "--session", "trip", "the ferry leaves at nine")
    with MemoryDB(path) as db:
        assert not recall(db, "hotel Aurora") and not recall(db, "ferry")
        assert [fact.value for fact in db.notebook.list_facts("trip")] == ["Aurora"]


def test_a_secret_is_kept_in_the_notebook_alone_and_is_told_so(run: Run, path: Path) -> None:
    run("-d", str(path), "remember", "deploy", "by hand")
    done = run("-d", str(path), "remember", "deploy", KEY)
    assert "looks like a secret, so it is never recalled" in done.stdout
    with MemoryDB(path) as db:
        assert db.notebook.recall_fact("cli", "deploy") == KEY
        assert not recall(db, "deploy") and db.cells.count_cells() == 0


def test_forgetting_a_fact_leaves_nothing_of_it_or_of_what_it_replaced(
    run: Run, path: Path
) -> None:
    for value in ("lavender", "cornflower", "vermilion"):
        run("-d", str(path), "remember", "wall colour", value)
    assert "vermilion" in run("-d", str(path), "recall", "wall colour").stdout
    assert run("-d", str(path), "extract").returncode == 0
    done = run("-d", str(path), "facts", "wall colour", "--session", "cli", "--forget")
    assert done.stdout == "Forgot wall colour of cli.\n"
    assert "Nothing remembered" in run("-d", str(path), "recall", "wall colour").stdout
    assert run("-d", str(path), "doctor").returncode == 0
    assert not any(in_file(path, word) for word in ("lavender", "cornflower", "vermilion"))


def test_an_unknown_name_is_told_with_the_command_that_lists_what_is_there(
    run: Run, path: Path
) -> None:
    run("-d", str(path), "remember", "locale", "en_US")
    for arguments, told in {
        ("scene", "Attic"): "there is no scene 'Attic'; `scenemem scenes` lists them",
        ("recall", "x", "--scene", "Attic"): "there is no scene 'Attic'; `scenemem scenes`",
        ("forget", "99"): "there is no cell 99; `scenemem cells` lists them",
        ("history", "Z"): "there is no session 'Z'; `scenemem sessions` lists them",
        ("jot", "--forget", "9"): "there is no note 9; `scenemem jot` lists them",
    }.items():
        done = run("-d", str(path), "-m", "embedded", *arguments)
        assert done.returncode == 1 and done.stderr.startswith(f"Error: {told}"), done.stderr


# -- one key, one cell ---------------------------------------------------------------------------


def test_a_new_value_takes_the_place_of_the_old_one_whoever_holds_it(db: MemoryDB) -> None:
    remember(db, "locale", "en_US")
    remember(db, "locale", "de_DE")
    assert found(db, "locale") == ["locale: de_DE"]
    notebook_changes.share(db, "locale", "fr_FR", actor="cli")
    assert found(db, "locale") == ["locale: fr_FR"]
    remember(db, "locale", "en_US")
    assert found(db, "locale") == ["locale: en_US"]
    assert [c.content for c in db.cells.list_cells()] == ["locale: en_US"]
    remember(db, "locale", "en_US")
    assert len(db.cells.list_cells(superseded=True)) == 4


def test_forgetting_one_entry_brings_back_what_another_still_says(db: MemoryDB) -> None:
    notebook_changes.share(db, "locale", "fr_FR", actor="cli")
    remember(db, "locale", "de_DE")
    (fact,) = db.notebook.list_facts("cli")
    forget_fact(db, fact, actor="cli")
    assert found(db, "locale") == ["locale: fr_FR"]
    forget_global(db, "locale", actor="cli")
    assert found(db, "locale") == [] and db.cells.count_cells() == 0


def test_keys_that_read_alike_do_not_take_each_others_place(db: MemoryDB) -> None:
    remember(db, "a", "b: c")
    remember(db, "a: b", "d")
    assert sorted(found(db, "a b c d")) == ["a: b: c", "a: b: d"]


def test_what_the_agents_tool_writes_over_is_no_longer_recalled(db: MemoryDB) -> None:
    remember(db, "locale", "en_US")
    tools = MemoryTools(MemoryManager(db))
    arguments = json.dumps({"key": "locale", "value": "de_DE"})
    assert tools.call("remember", arguments, ToolContext("cli", 1)).startswith("remembered")
    assert found(db, "locale") == []  # the new value is the session's own
    assert db.notebook.recall_fact("cli", "locale") == "de_DE"


def test_what_the_agents_tools_write_down_stays_the_sessions_own(db: MemoryDB) -> None:
    tools = MemoryTools(MemoryManager(db))
    tools.call("remember", '{"key": "hotel", "value": "Aurora"}', ToolContext("A", 1))
    tools.call("jot", '{"note": "the ferry leaves at nine"}', ToolContext("A", 1))
    assert db.cells.count_cells() == 0 and db.scenes.count_scenes() == 0


# -- forgetting ----------------------------------------------------------------------------------


def test_forgetting_the_cell_takes_the_entry_with_it(db: MemoryDB, path: Path) -> None:
    remember(db, "hideout", "lavender shed")
    remember(db, "hideout", "marzipan cellar")
    notebook_changes.share(db, "drink", "elderflower", actor="cli")
    jot(db, "the gooseberry jam is upstairs")
    cells = [cell.id for cell in db.cells.list_cells()]
    MemoryManager(db).forget(cells=cells)
    assert db.notebook.list_facts() == [] == db.notebook.list_notes()
    assert db.notebook.list_globals() == {} and db.cells.list_cells(superseded=True) == []
    db.close()
    words = ("lavender", "marzipan", "elderflower", "gooseberry")
    assert not any(in_file(path, word) for word in words)


def test_the_notebooks_scene_may_hold_a_callers_cells_too(db: MemoryDB) -> None:
    db.insert_cell(CellDraft("locale: nl_NL", NOTEBOOK_SCENE))
    remember(db, "locale", "en_US")
    jot(db, "call Ann")
    forget_note(db, 1, actor="cli")
    assert sorted(found(db, "locale")) == ["locale: en_US", "locale: nl_NL"]


def test_what_is_written_down_outlives_a_failed_transaction_as_it_was(db: MemoryDB) -> None:
    remember(db, "locale", "en_US")
    with pytest.raises(RuntimeError), db.transaction():
        remember(db, "locale", "de_DE")
        raise RuntimeError
    assert found(db, "locale") == ["locale: en_US"]
    assert db.notebook.recall_fact("cli", "locale") == "en_US"


def test_what_one_session_writes_down_leaves_the_cells_of_others_alone(db: MemoryDB) -> None:
    notebook_changes.remember(
        db, SHARED_SESSION, "hotel", "Aurora", "short", actor="cli", recalled=True
    )
    for value in ("Aurora", "Borealis"):
        notebook_changes.remember(db, "trip", "hotel", value, "short", actor="tool")
    assert [c.content for c in db.cells.list_cells()] == ["hotel: Aurora"]
    notebook_changes.remember(db, "trip", "hotel", "Aurora", "short", actor="tool")
    fact = db.notebook.get_fact("trip", "hotel")
    assert fact is not None
    forget_fact(db, fact, actor="cli")
    assert [c.content for c in db.cells.list_cells()] == ["hotel: Aurora"]


def test_a_callers_own_cell_in_that_scene_is_nobodys_entry(db: MemoryDB) -> None:
    own = db.insert_cell({"content": "hotel: Aurora", "scene": NOTEBOOK_SCENE})
    for value in ("Aurora", "Borealis"):
        notebook_changes.remember(db, "trip", "hotel", value, "short", actor="tool")
    assert db.cells.get_cell(own.id) is not None


def test_of_two_equal_notes_one_is_forgotten_and_the_cell_stays(db: MemoryDB) -> None:
    for _ in range(2):
        notebook_changes.jot(
            db, SHARED_SESSION, "The ladder is behind the shed.", actor="cli", recalled=True
        )
    first, _ = db.notebook.list_notes()
    forget_note(db, first.id, actor="cli")
    assert recall(db, "ladder").hits


def test_a_global_is_forgotten_with_the_messages_and_cells_that_tell_it(db: MemoryDB) -> None:
    MemoryManager(db).update("The gate word is Zanzibar.", session="A")
    notebook_changes.share(db, "gate word", "Zanzibar", actor="cli")
    forget_global(db, "gate word", actor="cli")
    assert not recall(db, "gate word Zanzibar").hits
    assert not any("Zanzibar" in m.content for m in db.sessions.list_messages())


# -- which cell is an entry's ----------------------------------------------------------------------


def contents(db: MemoryDB) -> list[str]:
    return [cell.content for cell in db.cells.list_cells()]


def forgotten(db: MemoryDB, key: str) -> None:
    fact = db.notebook.get_fact(SHARED_SESSION, key)
    assert fact is not None
    forget_fact(db, fact, actor="cli")


def test_an_entry_is_forgotten_wherever_its_cell_was_moved_to(db: MemoryDB, path: Path) -> None:
    remember(db, "city", "Zanzibar")
    (cell,) = db.cells.list_cells()
    db.cells.update_cell(cell.id, scene="Travel")
    forgotten(db, "city")
    assert db.cells.list_cells(superseded=True) == []
    db.close()
    assert not in_file(path, "Zanzibar")


def test_a_new_value_takes_the_place_of_a_moved_cell(db: MemoryDB) -> None:
    remember(db, "city", "Oslo")
    (cell,) = db.cells.list_cells()
    db.cells.update_cell(cell.id, scene="Travel")
    remember(db, "city", "Rome")
    assert contents(db) == ["city: Rome"]


@pytest.mark.parametrize(
    "spellings", [("oslo", "Oslo"), ("A+", "A-"), ("café  noir", "Café noir!"), ("5", "-5")]
)
def test_another_spelling_is_the_same_entry(
    db: MemoryDB, path: Path, spellings: tuple[str, str]
) -> None:
    for value in spellings:
        remember(db, "mark", value)
    assert contents(db) == [f"mark: {spellings[1]}"]
    remember(db, "mark", "Heliotrope")
    assert contents(db) == ["mark: Heliotrope"]
    forgotten(db, "mark")
    assert db.cells.list_cells(superseded=True) == []


def test_what_another_entry_still_tells_is_kept_as_that_one_has_it(db: MemoryDB) -> None:
    notebook_changes.share(db, "grade", "A+", actor="cli")
    remember(db, "grade", "A-")
    assert contents(db) == ["grade: A-"]
    forgotten(db, "grade")
    assert contents(db) == ["grade: A+"]
    assert not any("A-" in f"{change.before}{change.after}" for change in db.log.list_changes())


def test_a_callers_cell_elsewhere_with_the_same_words_is_its_own(db: MemoryDB) -> None:
    own = db.insert_cell({"content": "city: Oslo", "scene": "Atlas"})
    remember(db, "city", "Oslo")
    remember(db, "city", "Rome")
    forgotten(db, "city")
    kept = db.cells.get_cell(own.id)
    assert kept is not None and kept.superseded_by is None


def test_what_is_withdrawn_is_in_the_log(db: MemoryDB) -> None:
    remember(db, "pin hint", "walrus")
    (cell,) = db.cells.list_cells()
    notebook_changes.remember(db, SHARED_SESSION, "pin hint", "seal", "short", actor="tool")
    assert contents(db) == []
    (withdrawn,) = [c for c in db.log.list_changes() if c.action == "withdraw"]
    assert (withdrawn.actor, withdrawn.subject) == ("tool", f"cell {cell.id}")
    notebook_changes.share(db, "team", "blue", actor="cli")
    notebook_changes.share(db, "team", "red", actor="cli")
    changed = next(c for c in db.log.list_changes() if c.subject == "global team")
    assert (changed.before, changed.after) == ('"blue"', '"red"')
