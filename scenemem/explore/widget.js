// The explorer's page: it draws the memory's answers and queries again when something changes.
// All text is set as text, never as markup.

const PAUSE = 160; // milliseconds without a keystroke before the query is sent

function make(tag, classes, text) {
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  if (text !== undefined) element.textContent = text;
  return element;
}

function labelled(text, control) {
  const label = make("label", "", text);
  label.append(control);
  return label;
}

function pieces(target, found) {
  for (const [text, matched] of found) {
    target.append(matched ? make("mark", "", text) : document.createTextNode(text));
  }
  return target;
}

function typeBadge(tag, type) {
  return make(tag, `sm-type sm-type-${type}`, type);
}

function drawHit(hit, isOpen, onOpen) {
  const row = make("li", hit.gone ? "sx-gone" : "");
  const button = make("button", "sx-hit");
  button.setAttribute("aria-expanded", String(isOpen));
  const text = make("div", "sm-text");
  text.dir = "auto";
  if (hit.speaker) text.append(make("span", "sm-who", `${hit.speaker}: `));
  pieces(text, hit.text);
  const meta = make("div", "sx-meta");
  meta.append(typeBadge("span", hit.type), make("span", "", hit.day));
  if (hit.scene) meta.append(make("span", "", hit.scene));
  if (hit.salience !== null) {
    const meter = make("span", "sm-salience");
    const filled = make("i");
    filled.style.width = `${Math.round(hit.salience * 100)}%`;
    meter.append(filled);
    meter.title = `salience ${hit.salience}`;
    meta.append(meter);
  }
  if (hit.gone) meta.append(make("span", "", "superseded"));
  button.append(text, meta);
  button.addEventListener("click", onOpen);
  row.append(button);
  return row;
}

function drawOpened(side, opened) {
  side.replaceChildren();
  if (!opened) {
    side.append(make("div", "sm-soft", "Click a hit to see the messages it came from."));
    return;
  }
  if (opened.session) side.append(make("div", "sm-name", opened.session));
  if (opened.note) side.append(make("div", "sm-due", opened.note));
  for (const message of opened.messages) {
    const block = make("div", message.own ? "sx-message sx-own" : "sx-message");
    block.dir = "auto";
    block.append(make("div", "sm-soft", `${message.speaker} · ${message.at}`));
    side.append(pieces(block, message.text));
  }
}

function controls(memory) {
  const query = make("input");
  query.type = "search";
  query.placeholder = `Ask ${memory.name} …`;
  query.setAttribute("aria-label", "Query");
  const types = make("div", "sx-types");
  types.setAttribute("role", "group");
  types.setAttribute("aria-label", "Types");
  for (const type of memory.types) {
    const button = typeBadge("button", type);
    button.classList.add("sx-type");
    button.dataset.type = type;
    button.setAttribute("aria-pressed", "false");
    types.append(button);
  }
  const scene = make("select");
  scene.setAttribute("aria-label", "Scene");
  scene.append(new Option("all scenes", ""));
  for (const known of memory.scenes) {
    scene.append(new Option(`${known.scene} (${known.cells})`, known.scene));
  }
  const [since, until] = ["from", "to"].map(() => {
    const day = make("input");
    day.type = "date";
    day.min = memory.first;
    day.max = memory.last;
    return day;
  });
  return { query, types, scene, since, until };
}

function render({ model, el }) {
  const root = make("div", "scenemem scenemem-explorer");
  const { query, types, scene, since, until } = controls(model.get("memory"));
  const first = make("div", "sx-bar");
  first.append(query);
  const second = make("div", "sx-bar");
  second.append(types, scene, labelled("from", since), labelled("to", until));
  const note = make("div", "sm-soft sx-note");
  note.setAttribute("aria-live", "polite");
  const body = make("div", "sx-body");
  const hits = make("ul", "sx-hits");
  const side = make("div", "sx-side");
  body.append(hits, side);
  root.append(first, second, note, body);
  el.append(root);

  let number = model.get("ask").number || 0;
  let open = null;
  let waiting;
  query.value = model.get("ask").query || "";

  function ask() {
    clearTimeout(waiting);
    number += 1;
    const pressed = types.querySelectorAll('[aria-pressed="true"]');
    model.set("ask", {
      number,
      query: query.value,
      types: [...pressed].map((button) => button.dataset.type),
      scene: scene.value,
      since: since.value,
      until: until.value,
      open,
    });
    model.save_changes();
  }

  function askAnew() {
    open = null;
    hits.scrollTop = 0;
    ask();
  }

  function draw() {
    const answer = model.get("answer");
    if (answer.number < number) return; // a newer answer is on its way
    note.textContent = answer.note || "";
    const focused = hits.contains(document.activeElement);
    const rows = answer.hits.map((hit) => {
      const isOpen = open !== null && open[0] === hit.kind && open[1] === hit.id;
      return drawHit(hit, isOpen, () => {
        open = isOpen ? null : [hit.kind, hit.id];
        ask();
      });
    });
    const top = hits.scrollTop;
    hits.replaceChildren(...rows);
    hits.scrollTop = top;
    if (focused) hits.querySelector('[aria-expanded="true"]')?.focus({ preventScroll: true });
    if (!rows.length) hits.append(make("li", "sx-none sm-soft", "Nothing to show."));
    drawOpened(side, answer.opened);
  }

  query.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(askAnew, PAUSE);
  });
  query.addEventListener("keydown", (event) => {
    if (event.key === "Enter") askAnew();
    event.stopPropagation(); // notebooks have their own shortcuts
  });
  types.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    askAnew();
  });
  for (const control of [scene, since, until]) control.addEventListener("change", askAnew);
  model.on("change:answer", draw);
  draw();
  return () => {
    clearTimeout(waiting);
    model.off("change:answer", draw);
  };
}

export default { render };
