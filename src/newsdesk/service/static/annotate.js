// Keyboard, drafts and time for one task. Without this script the page is a plain form and works all the same.
"use strict";

(() => {
  const form = document.querySelector("form.answers");
  if (!form) return;
  document.documentElement.classList.add("scripted");
  const single = form.dataset.single === "1";
  const groups = [...form.querySelectorAll("[data-group]")];
  const ticking = form.classList.contains("kind-select");
  const bestWorst = form.classList.contains("kind-best-worst");
  const sameQuestion = (one, other) => one.name.split(".").slice(1).join() === other.name.split(".").slice(1).join();
  const draft = `newsdesk ${form.dataset.draft}`;
  let sending = false;

  const inputs = (group) => [...group.querySelectorAll("input")];
  const typed = (group) => [...group.querySelectorAll("textarea, input[type=number]")];
  const isAnswered = (group) => inputs(group).some((input) => input.checked) || typed(group).some((field) => field.value.trim());

  function send(button) {
    if (sending) return;
    sending = true;
    form.querySelector(".state").textContent = "Saving …";
    form.requestSubmit(button || form.querySelector("button.main"));
  }

  // Time that the page was hidden does not count.
  let hiddenSince = document.hidden ? Date.now() : null;
  let away = 0;
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hiddenSince = Date.now();
    else if (hiddenSince !== null) {
      away += (Date.now() - hiddenSince) / 1000;
      hiddenSince = null;
    }
    form.elements.away.value = away.toFixed(1);
  });

  // A task that is not complete yet is kept in this browser until it is saved.
  function keep() {
    const chosen = groups.flatMap(inputs).filter((input) => input.checked);
    const written = groups.flatMap(typed).filter((field) => field.value);
    try {
      sessionStorage.setItem(draft, JSON.stringify([...chosen, ...written].map((field) => [field.name, field.value])));
    } catch { /* no room, or not allowed: nothing is kept */ }
  }
  function restore() {
    if (groups.some(isAnswered)) return;
    let chosen = [];
    try {
      chosen = JSON.parse(sessionStorage.getItem(draft) || "[]");
    } catch { return; }
    for (const [name, value] of chosen) {
      for (const input of groups.flatMap(inputs)) if (input.name === name && input.value === value && "checked" in input) input.checked = true;
      for (const field of groups.flatMap(typed)) if (field.name === name && value !== "cannot-judge") field.value = value;
    }
    if (chosen.length) form.querySelector(".state").textContent = "Your choices so far are here again; they are not saved yet.";
  }
  form.addEventListener("submit", () => {
    try { sessionStorage.removeItem(draft); } catch { /* as above */ }
  });

  // The active group is the one that a digit answers.
  let active = 0;
  function activate(place, focus) {
    if (!groups.length) return;
    active = Math.max(0, Math.min(groups.length - 1, place));
    groups.forEach((group, at) => group.classList.toggle("active", at === active));
    if (focus) {
      const now = inputs(groups[active]);
      (now.find((input) => input.checked) || now[0]).focus({ preventScroll: true });
      groups[active].closest(".text").scrollIntoView({ block: "nearest" });
    }
  }
  function choose(input) {
    input.checked = input.type === "checkbox" ? !input.checked : true;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  form.addEventListener("focusin", (event) => {
    const group = event.target.closest("[data-group]");
    if (group) activate(groups.indexOf(group), false);
  });
  form.addEventListener("change", (event) => {
    const group = event.target.closest("[data-group]");
    if (!group) return;
    if (event.target.type === "checkbox" && event.target.checked)
      for (const other of inputs(group)) if (other !== event.target) other.checked = false;
    // Of best and worst there is one each: who had it before is neither.
    if (event.target.type === "radio" && bestWorst && event.target.value !== "neither")
      for (const other of inputs(form))
        if (other !== event.target && other.checked && other.value === event.target.value && sameQuestion(other, event.target))
          inputs(other.closest("[data-group]")).find((input) => input.value === "neither").checked = true;
    keep();
  });
  form.addEventListener("input", keep);
  // One question about one text: a click on an answer saves it. Arrow keys only move the choice.
  if (single)
    form.addEventListener("click", (event) => {
      if (event.detail > 0 && event.target.closest(".option") && groups.every(isAnswered)) setTimeout(send, 0);
    });

  function press(key) {
    const control = document.querySelector(`[data-key="${key}"]`);
    if (!control) return false;
    if (control.tagName === "DETAILS") control.open = !control.open;
    else if (control.form === form) send(control);
    else control.click();
    return true;
  }
  function digit(number) {
    const [field] = typed(groups[active]);
    if (field && field.type === "number") {
      field.focus();
      field.value += number;
      field.dispatchEvent(new Event("input", { bubbles: true }));
      return;
    }
    if (field) return;
    if (ticking) {
      const group = groups[number ? number - 1 : active];
      if (!group) return;
      choose(inputs(group)[number ? 0 : 1]);
      activate(groups.indexOf(group), true);
      return;
    }
    const options = inputs(groups[active]);
    const input = number ? options[number - 1] : options[options.length - 1];
    if (!input || (number && number > options.length - 1)) return;
    choose(input);
    if (single) return send();
    const next = groups.findIndex((group, at) => at > active && !isAnswered(group));
    if (next >= 0) activate(next, true);
    else if (groups.every(isAnswered)) form.querySelector("button.main").focus();
    else activate(active, true);
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.matches("textarea") || (event.target.matches("input[type=number]") && event.key !== "Enter")) return;
    if (/^[0-9]$/.test(event.key)) digit(Number(event.key));
    else if (event.key === "Enter") {
      if (event.target.closest("a, button, summary")) return;
      send();
    } else if (!/^[a-z]$/.test(event.key) || !press(event.key)) return;
    event.preventDefault();
  });

  // A number from a scale has a slider beside it. It sends nothing itself, so that nobody's answer is where it happens to stand.
  for (const field of form.querySelectorAll(".slide input[type=number]")) {
    const slider = Object.assign(document.createElement("input"), { type: "range", min: field.min, max: field.max, step: 1 });
    slider.setAttribute("aria-label", field.getAttribute("aria-label"));
    const follow = () => {
      slider.classList.toggle("untouched", field.value === "");
      if (field.value !== "") slider.value = field.value;
    };
    slider.addEventListener("input", () => {
      field.value = slider.value;
      for (const tick of field.closest(".group").querySelectorAll("input[type=checkbox]")) tick.checked = false;
      follow();
      keep();
    });
    field.addEventListener("input", follow);
    field.before(slider);
    setTimeout(follow, 0);
  }

  restore();
  const wrong = groups.findIndex((group) => group.matches("[aria-invalid=true], :has([aria-invalid=true])"));
  activate(Math.max(wrong, 0), wrong >= 0);
})();
