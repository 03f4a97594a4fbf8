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
  if (target.type !== "range") return;
  const label = target.dataset.labels?.split("|")[target.value] ?? target.value;
  target.closest("label")?.querySelector("output")?.replaceChildren(label);
});
document.addEventListener("change", ({ target }) => {
  const form = target.closest("form[data-live]");
  if (form) reload(form);
});

// A file that is dropped on its field is sent at once, as one that is chosen there.
function field(target) {
  return target.closest?.("form[data-drop]")?.querySelector("input[type=file]");
}
document.addEventListener("dragover", (event) => {
  if (!field(event.target)) return;
  event.preventDefault();
  event.target.closest("form").classList.add("over");
});
document.addEventListener("dragleave", ({ target }) => target.closest?.("form[data-drop]")?.classList.remove("over"));
document.addEventListener("drop", (event) => {
  const input = field(event.target);
  if (!input || !event.dataTransfer.files.length) return;
  event.preventDefault();
  input.files = event.dataTransfer.files;
  input.form.requestSubmit();
});
document.addEventListener("submit", ({ target }) => {
  if (!target.matches("form[data-drop]")) return;
  target.querySelector("button").disabled = true;
  target.setAttribute("aria-busy", "true");
});
