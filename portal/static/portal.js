/* portal/static/portal.js - optional: every page works without it. */
"use strict";

/* "Copy" buttons: data-copy is the id of the element to copy. */
function addCopying(button) {
  const source = document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) return;
  const label = button.textContent;
  const showLabel = (words) => {
    button.textContent = words;
    setTimeout(() => { button.textContent = label; }, 2000);
  };
  button.setAttribute("aria-live", "polite");
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(source.textContent).then(
      () => showLabel("Copied"), () => showLabel("Could not copy"));
  });
  button.hidden = false;
}

/* Times are in UTC; the tooltip shows the local time. */
function addLocalTime(time) {
  const date = new Date(time.dateTime);
  if (time.dateTime.includes("T") && !Number.isNaN(date.getTime()))
    time.title = date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" });
}

/* A form with data-really asks for confirmation, with this text. */
function addQuestion(form) {
  form.addEventListener("submit", (event) => {
    if (!window.confirm(form.dataset.really)) event.preventDefault();
  });
}

/* Poll the state of a waiting order for 10 minutes, every 2 s at first, then up to every 15 s.
 * Reload the page when it differs from data-is. data-state is the URL. */
function watchState(element) {
  const until = Date.now() + 600000;
  let wait = 2000;
  const poll = async () => {
    try {
      const response = await fetch(element.dataset.state, { headers: { Accept: "application/json" } });
      const body = response.ok ? await response.json() : null;
      if (body && body.result.state !== element.dataset.is) {
        window.location.reload();
        return;
      }
    } catch (_) { /* network error: retry */ }
    wait = Math.min(wait * 1.3, 15000);
    if (Date.now() < until) setTimeout(poll, wait);
  };
  setTimeout(poll, wait);
}

/* Disable a form's buttons after it is sent, and enable them again when the browser goes back. */
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

/* Ignore a press on a form that appeared less than half a second ago, for example under a window
 * that closed: the press was meant for something else. */
function addDelay(form) {
  let since = 0;
  const begin = () => { since = performance.now(); };
  form.addEventListener("submit", (event) => {
    if (performance.now() - since < 500) event.preventDefault();
  });
  window.addEventListener("pageshow", begin);
  window.addEventListener("focus", begin);
}

document.querySelectorAll("form[data-delay]").forEach(addDelay);
document.querySelectorAll("button[data-copy]").forEach(addCopying);
document.querySelectorAll("time[datetime]").forEach(addLocalTime);
document.querySelectorAll("form[data-really]").forEach(addQuestion);
document.querySelectorAll("form[data-waits]").forEach(addWaiting);
document.querySelectorAll("[data-state]").forEach(watchState);

/* Focus errors, so that screen readers announce them first. */
const problem = document.getElementById("errors");
if (problem) problem.focus();
