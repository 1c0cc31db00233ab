// check looks for what keeps people from using the page: it returns a list of complaints.
(() => {
  const wrong = [];
  const shown = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const name = (e) => e.getAttribute("aria-label") || (e.getAttribute("aria-labelledby") ?? "").split(" ")
    .map((id) => document.getElementById(id)?.textContent ?? "").join(" ").trim() || (e.labels?.[0]?.textContent ?? "") || e.textContent.trim();
  const say = (e) => `<${e.tagName.toLowerCase()} id="${e.id}" class="${e.getAttribute("class") ?? ""}">`;

  if (!document.documentElement.lang) wrong.push("the page names no language");
  if (document.querySelectorAll("main").length !== 1) wrong.push("there is not one main part");
  if (document.querySelectorAll("h1").length !== 1) wrong.push("there is not one h1");
  let level = 0;
  for (const h of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    if (!shown(h)) continue;
    if (Number(h.tagName[1]) > level + 1) wrong.push(`${say(h)}: a level of headings is left out`);
    level = Number(h.tagName[1]);
    if (!h.textContent.trim()) wrong.push(`${say(h)}: an empty heading`);
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) wrong.push(`the id ${id} is there twice`);
  for (const e of document.querySelectorAll("input, button, summary, a, [role=img], [role=meter], [role=table], section, article")) {
    if (shown(e) && !name(e)) wrong.push(`${say(e)} has no name`);
  }
  for (const e of document.querySelectorAll("[aria-labelledby], [aria-describedby]")) {
    for (const id of `${e.getAttribute("aria-labelledby") ?? ""} ${e.getAttribute("aria-describedby") ?? ""}`.trim().split(/ +/)) {
      if (!document.getElementById(id)) wrong.push(`${say(e)} refers to ${id}, which is not there`);
    }
  }
  for (const e of document.querySelectorAll("[role=meter]")) {
    const now = Number(e.getAttribute("aria-valuenow"));
    if (shown(e) && !(now >= 0 && now <= 100 && e.getAttribute("aria-valuetext"))) wrong.push(`${say(e)} has no value`);
  }
  for (const e of document.querySelectorAll("[role=row]")) {
    for (const cell of e.children) if (!["columnheader", "rowheader", "cell"].includes(cell.getAttribute("role"))) wrong.push(`${say(cell)}: a row has another child than cells`);
  }
  if (document.querySelector("[tabindex]:not([tabindex='0']):not([tabindex='-1'])")) wrong.push("an order of its own for the Tab key");
  const focusable = [...document.querySelectorAll("input, button, summary, a[href], [tabindex='0']")];
  for (const e of focusable) {
    const box = e.getBoundingClientRect();
    if (shown(e) && Math.min(box.width, box.height) < 18) wrong.push(`${say(e)} is only ${box.width} × ${box.height}`);
  }

  // Contrast, by WCAG 2: 4.5 for texts, 3 for large ones.
  const parse = (color) => {
    const n = color.match(/[\d.]+/g).map(Number);
    return { rgb: n.slice(0, 3), alpha: n[3] ?? 1 };
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.alpha === 1) return c.rgb;
      if (c.alpha !== 0) wrong.push(`${say(e)}: a ground that is half transparent`);
    }
    return [255, 255, 255];
  };
  let texts = 0;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walk.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || !shown(e) || e.closest(".unseen") || e.tagName === "NOSCRIPT") continue;
    texts++;
    const style = getComputedStyle(e);
    const [a, b] = [luminance(parse(e instanceof SVGElement ? style.fill : style.color).rgb), luminance(ground(e))].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const needs = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    const contrast = (a + 0.05) / (b + 0.05);
    if (contrast < needs) wrong.push(`${say(e)} "${node.data.trim().slice(0, 30)}" has a contrast of ${contrast.toFixed(2)}, not ${needs}`);
    if (size < 12) wrong.push(`${say(e)}: letters of ${size} px`);
  }
  if (texts < 20) wrong.push(`only ${texts} texts were looked at`);
  if (document.documentElement.scrollWidth > window.innerWidth) {
    const widest = [...document.body.querySelectorAll("*")].filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1).slice(0, 4);
    wrong.push(`it scrolls sideways: ${document.documentElement.scrollWidth} of ${window.innerWidth} px: ${widest.map(say)}`);
  }
  return wrong;
})()
