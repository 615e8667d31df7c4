/* portal/static/portal.js - comfort only: every page is whole without it. */
"use strict";

/* "Copy" beside what is worth copying: data-copy names the element's id. */
function addCopying(button) {
  const source = document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) return;
  const label = button.textContent;
  const tell = (words) => {
    button.textContent = words;
    setTimeout(() => { button.textContent = label; }, 2000);
  };
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(source.textContent).then(
      () => tell("Copied"), () => tell("Could not copy"));
  });
  button.hidden = false;
}

/* Times stand in UTC; the reader's own time is told when he points at one. */
function addLocalTime(time) {
  const date = new Date(time.dateTime);
  if (time.dateTime.includes("T") && !Number.isNaN(date.getTime()))
    time.title = date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });
}

/* A form with data-really asks before it is sent, and says what it would do. */
function addQuestion(form) {
  form.addEventListener("submit", (event) => {
    if (!window.confirm(form.dataset.really)) event.preventDefault();
  });
}

/* An order that waits is looked at again until its state is another: data-state names the address,
 * data-is the state shown. Every 2 seconds at first, then more seldom, for ten minutes. */
function watchState(element) {
  const until = Date.now() + 600000;
  let wait = 2000;
  const look = async () => {
    try {
      const answer = await fetch(element.dataset.state, { headers: { Accept: "application/json" } });
      const body = answer.ok ? await answer.json() : null;
      if (body && body.result.state !== element.dataset.is) {
        window.location.reload();
        return;
      }
    } catch (_) { /* no network just now: look again later */ }
    wait = Math.min(wait * 1.3, 15000);
    if (Date.now() < until) setTimeout(look, wait);
  };
  setTimeout(look, wait);
}

/* A button that was pressed is not pressed twice while its answer is awaited; coming back by the
 * browser's history finds it as it was. */
function addWaiting(form) {
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    for (const button of form.querySelectorAll("button[type=submit]"))
      setTimeout(() => { button.disabled = true; button.setAttribute("aria-busy", "true"); }, 0);
  });
  window.addEventListener("pageshow", () => {
    for (const button of form.querySelectorAll("button[aria-busy]")) {
      button.disabled = false;
      button.removeAttribute("aria-busy");
    }
  });
}

document.querySelectorAll("button[data-copy]").forEach(addCopying);
document.querySelectorAll("time[datetime]").forEach(addLocalTime);
document.querySelectorAll("form[data-really]").forEach(addQuestion);
document.querySelectorAll("form[data-waits]").forEach(addWaiting);
document.querySelectorAll("[data-state]").forEach(watchState);

/* What went wrong is read out first. */
const problem = document.getElementById("errors");
if (problem) problem.focus();
