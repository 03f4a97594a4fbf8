// Forms with data-live answer at once: a change loads their page again and replaces what is in <main>.
// Without this script the same forms have a button.
"use strict";
document.documentElement.classList.add("scripted");

let latest = 0;

async function reload(form) {
  const number = ++latest;
  const address = `${location.pathname}?${new URLSearchParams(new FormData(form))}`;
  const answer = await fetch(address, { headers: { accept: "text/html" } });
  if (number !== latest || !answer.ok) return;
  const loaded = new DOMParser().parseFromString(await answer.text(), "text/html");
  const focused = document.activeElement?.id;
  document.getElementById("main").replaceChildren(...loaded.getElementById("main").childNodes);
  history.replaceState(null, "", address);
  if (focused) document.getElementById(focused)?.focus();
}

document.addEventListener("input", ({ target }) => {
  if (target.type === "range") target.closest("label")?.querySelector("output")?.replaceChildren(target.value);
});
document.addEventListener("change", ({ target }) => {
  const form = target.closest("form[data-live]");
  if (form) reload(form);
});
