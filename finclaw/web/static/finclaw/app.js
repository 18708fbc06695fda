// Progressive enhancement only: every form on every page works without this file.
// All words shown come from the page (templates and data attributes), so that they are translated once.
"use strict";

(() => {
  const THEME_KEY = "finclaw-theme";
  const root = document.documentElement;

  // Theme. This file is loaded before the body, so a stored choice never flashes.

  function storedTheme() {
    try {
      return localStorage.getItem(THEME_KEY);
    } catch {
      return null; // Storage may be forbidden; the system's preference then stands.
    }
  }

  function storeTheme(theme) {
    try {
      localStorage.setItem(THEME_KEY, theme);
    } catch {
      // The choice then lasts for this page only.
    }
  }

  function currentTheme() {
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    return root.dataset.theme || system;
  }

  function markThemeSwitch(button) {
    button.hidden = false;
    button.setAttribute("aria-pressed", String(currentTheme() === "dark"));
  }

  function toggleTheme(button) {
    root.dataset.theme = currentTheme() === "dark" ? "light" : "dark";
    storeTheme(root.dataset.theme);
    markThemeSwitch(button);
  }

  const stored = storedTheme();
  if (stored === "light" || stored === "dark") root.dataset.theme = stored;

  // A fresh copy of what a <template> of the page holds.
  function fromTemplate(id) {
    return document.getElementById(id).content.firstElementChild.cloneNode(true);
  }

  // Copying

  // ``data-copy`` names what is copied; of a message, unnamed, its text is.
  async function copy(button) {
    const named = document.getElementById(button.dataset.copy);
    const source = named || button.closest(".message").querySelector(".message__text");
    try {
      await navigator.clipboard.writeText(source.textContent.trim());
    } catch {
      getSelection().selectAllChildren(source); // One key press is left to the reader.
      return;
    }
    const label = button.querySelector("[data-copy-label]") || button;
    const before = label.textContent;
    label.textContent = button.dataset.copyDone;
    button.dataset.copied = "";
    setTimeout(() => {
      label.textContent = before;
      delete button.dataset.copied;
    }, 2000);
  }

  // A guess for the sign-up form; the server checks it, and Settings can change it.

  function guessTimeZone(field) {
    field.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  }

  // Requests of htmx that failed say so instead of doing nothing.

  function showFailure() {
    document.getElementById("failures")?.replaceChildren(fromTemplate("request-failed"));
  }

  function clearFailure() {
    document.getElementById("failures")?.replaceChildren();
  }

  // A form of htmx that is submitted before htmx has come is sent once it has, so that the answer comes in its place.

  const readyForms = new WeakSet();
  const heldForms = new WeakSet();

  function holdUntilReady(event) {
    const form = event.target;
    if (!form.matches("[hx-post]") || readyForms.has(form) || document.readyState === "complete") return;
    event.preventDefault();
    if (heldForms.has(form)) return; // It was pressed twice.
    heldForms.add(form);
    const send = () => {
      if (heldForms.delete(form)) form.requestSubmit(event.submitter);
    };
    form.addEventListener("htmx:afterProcessNode", () => queueMicrotask(send));
    addEventListener("load", send); // htmx could not be loaded: sent as without scripts.
  }

  // A part of a page that polls is replaced only when its words have changed: a control that is being pressed, the focus
  // and what is unfolded stay as they are.
  function keepUnchanged(event) {
    const part = event.detail.requestConfig.elt;
    if (!part.getAttribute("hx-trigger")?.startsWith("every") || !part.id) return;
    const page = new DOMParser().parseFromString(event.detail.serverResponse, "text/html");
    const fresh = page.getElementById(part.id);
    if (fresh && words(fresh) === words(part)) event.detail.shouldSwap = false;
  }

  function words(part) {
    return part.textContent.replace(/\s+/g, " ");
  }

  // Server-sent events read from the answer of a POST (EventSource can only GET).

  function parseEvent(block) {
    const event = { name: "message", data: "" };
    for (const line of block.split(/\r?\n/)) {
      if (line.startsWith("event:")) event.name = line.slice(6).trim();
      if (line.startsWith("data:")) event.data += line.slice(5).trimStart();
    }
    return event;
  }

  async function* readEvents(response) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let buffer = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      buffer += value;
      const blocks = buffer.split(/\r?\n\r?\n/);
      buffer = blocks.pop();
      for (const block of blocks) if (block.trim()) yield parseEvent(block);
    }
  }

  // Chat

  class ChatError extends Error {
    constructor(message, draft = "") {
      super(message);
      this.draft = draft;
    }
  }

  function scrollBehavior() {
    return matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  }

  function toEnd() {
    document.scrollingElement.scrollTo({ top: document.body.scrollHeight, behavior: scrollBehavior() });
  }

  // What unfolds under the last answer would stay behind the composer.
  function showUnfolded(event) {
    if (!event.target.open || !event.target.closest("#conversation")) return;
    event.target.scrollIntoView({ block: "nearest" }); // At once: a smooth one ends where anything changes meanwhile.
  }

  function nearEnd() {
    const { scrollTop, scrollHeight, clientHeight } = document.scrollingElement;
    return scrollHeight - scrollTop - clientHeight < 160;
  }

  // What htmx adds under the last answer stays in sight of whoever reads there.
  function followTalk(event) {
    if (event.detail.elt.closest("#conversation") && nearEnd()) toEnd();
  }

  function appendMessages(log, text) {
    const user = fromTemplate("chat-user");
    const assistant = fromTemplate("chat-assistant");
    user.querySelector("[data-text]").textContent = text;
    adjust(user);
    document.getElementById("chat-empty")?.remove();
    log.append(user, assistant);
    toEnd();
    return { user, assistant };
  }

  function addDelta(bubble, text) {
    const follow = nearEnd();
    const target = bubble.querySelector("[data-text]");
    bubble.querySelector("[data-waiting]")?.remove();
    target.append(text);
    if (follow) document.scrollingElement.scrollTop = document.body.scrollHeight;
  }

  function finish(bubble, data) {
    if (!data.html) {
      bubble.setAttribute("aria-busy", "false");
      return;
    }
    const holder = document.createElement("template");
    holder.innerHTML = data.html; // Rendered and escaped by our own server.
    const replacement = holder.content.firstElementChild;
    adjust(replacement);
    bubble.replaceWith(replacement);
    window.htmx?.process(replacement);
    showLearned(replacement, data.learned);
    if (data.title) showTitle(data.title);
    showMode(data);
  }

  // What a message taught stands under it, before its answer.
  function showLearned(answer, html) {
    const holder = document.createElement("template");
    holder.innerHTML = html || ""; // Rendered and escaped by our own server.
    const learned = holder.content.firstElementChild;
    if (!learned) return;
    answer.before(learned);
    window.htmx?.process(learned);
  }

  // A message may ask for another way of speaking: it stands at the top, and is changed in a panel.
  function showMode(data) {
    const holder = document.createElement("template");
    for (const [id, html] of [["mode-now", data.mode], ["mode-panel", data.mode_panel]]) {
      holder.innerHTML = html || ""; // Rendered and escaped by our own server.
      if (holder.content.firstElementChild) {
        document.getElementById(id)?.replaceWith(holder.content.firstElementChild);
      }
    }
  }

  // The first message gives a chat its title.
  function showTitle(title) {
    const places = ".topbar__title, .sessions__link[aria-current='page'] .sessions__title";
    for (const place of document.querySelectorAll(places)) place.textContent = title;
    document.title = `${title} · FinClaw`;
    const renamed = document.getElementById("rename-to");
    if (renamed) renamed.value = title;
  }

  // Where the server gave back another text than was sent, its message says so.
  function showError({ message, draft }) {
    const slot = document.getElementById("chat-notice");
    const banner = fromTemplate("chat-error");
    if (message) {
      banner.querySelector("[data-message]").textContent = message;
      banner.querySelector("[data-again]").remove(); // The same text would be refused again.
    }
    if (draft) banner.querySelector("[data-unchanged]").remove();
    slot.replaceChildren(banner);
  }

  function tooLarge() {
    return fromTemplate("chat-error").querySelector("[data-too-large]").textContent;
  }

  function giveBack(field, text) {
    field.value = field.value ? `${text}\n${field.value}` : text;
    field.focus();
  }

  // The first message of a chat opens it. The page it would be then lends what stands around the conversation.
  async function startChat(form, body) {
    const response = await fetch(form.dataset.startUrl, { method: "POST", body, credentials: "same-origin" });
    if (!response.ok) throw new ChatError(response.status === 413 ? tooLarge() : "");
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const composer = page.querySelector(".composer[data-stream-url]");
    if (!composer) throw new ChatError("");
    history.replaceState(null, "", response.url);
    for (const part of [".topbar", ".sessions", "#mode-panel", "#rename-panel"]) {
      const fresh = page.querySelector(part);
      if (!fresh) continue;
      const old = document.querySelector(part);
      if (old) old.replaceWith(fresh);
      else document.querySelector(".sessions").after(fresh);
      adjust(fresh);
      window.htmx?.process(fresh);
    }
    document.querySelectorAll("[data-theme-toggle]").forEach(markThemeSwitch);
    form.querySelector("[data-before-start]").remove();
    form.action = composer.action;
    form.dataset.streamUrl = composer.dataset.streamUrl;
  }

  async function openStream(form, body) {
    if (!form.dataset.streamUrl) await startChat(form, body);
    return requestStream(form.dataset.streamUrl, form, body);
  }

  async function requestStream(url, form, body) {
    const response = await fetch(url, {
      method: "POST",
      body,
      credentials: "same-origin",
      headers: { Accept: "text/event-stream", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value },
    });
    if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) return response;
    if (response.status === 413) throw new ChatError(tooLarge());
    const problem = await response.json().catch(() => ({}));
    throw new ChatError(problem.message || "", problem.draft || "");
  }

  async function showStream(response, bubble) {
    for await (const { name, data } of readEvents(response)) {
      const payload = JSON.parse(data || "{}");
      // What follows is another answer, the large model's or one from memory; it may come twice.
      if (name === "interrupted") bubble.querySelector("[data-text]").replaceChildren();
      if (name === "delta") addDelta(bubble, payload.text);
      if (name === "error") throw new ChatError(payload.message || "");
      if (name === "done") return finish(bubble, payload);
    }
    throw new ChatError("");
  }

  async function send(form) {
    const field = form.elements.content;
    const button = form.querySelector("[type=submit]");
    const text = field.value.trim() || form.dataset.wordless || "";
    if (!text || form.dataset.busy || button.disabled) return; // Files may still be on their way.
    const body = new FormData(form);
    body.set("content", text);
    const bubbles = appendMessages(document.getElementById("conversation"), text);
    document.getElementById("chat-notice").replaceChildren();
    form.dataset.busy = "true";
    button.disabled = true;
    field.value = "";
    form.dispatchEvent(new CustomEvent("chat:sent", { detail: bubbles }));
    try {
      await showStream(await openStream(form, body), bubbles.assistant);
    } catch (error) {
      form.dispatchEvent(new CustomEvent("chat:returned", { detail: bubbles }));
      bubbles.user.remove();
      bubbles.assistant.remove();
      const refusal = error instanceof ChatError ? error : new ChatError("");
      giveBack(field, refusal.draft || text);
      showError(refusal);
    } finally {
      delete form.dataset.busy;
      button.disabled = false;
      form.dispatchEvent(new CustomEvent("chat:idle"));
    }
  }

  // The answer from memory gives way to the model's, and comes back where there is none.
  async function retry(form) {
    const answer = form.closest(".message");
    const bubble = fromTemplate("chat-assistant");
    document.getElementById("chat-notice")?.replaceChildren();
    answer.replaceWith(bubble);
    try {
      await showStream(await requestStream(`${form.action}?stream=true`, form, new FormData(form)), bubble);
    } catch (error) {
      bubble.replaceWith(answer);
      const banner = fromTemplate("chat-retry-error");
      if (error.message && error instanceof ChatError) banner.querySelector("[data-message]").textContent = error.message;
      answer.append(banner);
      form.querySelector("button").focus();
    }
  }

  function onRetry(event) {
    if (!event.target.matches("form[data-retry]")) return;
    event.preventDefault();
    event.target.closest(".message").querySelectorAll(".banner").forEach((banner) => banner.remove());
    retry(event.target);
  }

  function onComposerKey(event) {
    // While an input method is composing, Enter picks a word. Safari reports it as key code 229 only.
    const composing = event.isComposing || event.keyCode === 229;
    const touch = matchMedia("(pointer: coarse)").matches; // There, Enter is the only way to a new line.
    if (event.key !== "Enter" || event.shiftKey || composing || touch) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  }

  function readyChat(form) {
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (event.submitter?.name === "starter") form.elements.content.value = event.submitter.value;
      send(form);
    });
    form.elements.content.addEventListener("keydown", onComposerKey);
    form.querySelectorAll("[data-needs-script]").forEach((hint) => (hint.hidden = false));
    const { content } = form.elements;
    if (content.autofocus) content.setSelectionRange(content.value.length, content.value.length);
    // An empty chat begins at its top.
    if (!document.getElementById("chat-empty")) document.scrollingElement.scrollTop = document.body.scrollHeight;
  }

  // Words put into the composer to be finished, changed or sent: of a starter, or of a message above.
  function write(event, text) {
    const field = document.getElementById("composer-text");
    if (!field) return;
    event.preventDefault();
    field.value = text;
    field.focus();
    field.setSelectionRange(text.length, text.length);
  }

  function onClick(event) {
    const target = event.target.closest("[data-theme-toggle], [data-copy], [data-begin], [data-again-message]");
    if (!target) return;
    if ("begin" in target.dataset) write(event, target.dataset.begin);
    if ("againMessage" in target.dataset) {
      write(event, target.closest(".message").querySelector(".message__text").textContent);
    }
    if ("themeToggle" in target.dataset) toggleTheme(target);
    if ("copy" in target.dataset) copy(target);
  }

  // What only scripts make useful is shown, what they make needless is hidden: in the page, and in what htmx brings.
  function adjust(part) {
    part.querySelectorAll("[data-copy]").forEach((button) => (button.hidden = false));
    part.querySelectorAll("[data-without-script]").forEach((element) => (element.hidden = true));
  }

  document.addEventListener("submit", holdUntilReady, true);
  document.addEventListener("htmx:afterProcessNode", (event) => readyForms.add(event.target));
  document.addEventListener("htmx:beforeSwap", keepUnchanged);
  document.addEventListener("click", onClick);
  document.addEventListener("submit", onRetry);
  document.addEventListener("toggle", showUnfolded, true); // It does not bubble.
  document.addEventListener("htmx:load", (event) => adjust(event.detail.elt));
  document.addEventListener("htmx:afterSettle", followTalk);
  document.addEventListener("htmx:beforeRequest", clearFailure);
  document.addEventListener("htmx:responseError", showFailure);
  document.addEventListener("htmx:sendError", showFailure);
  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("[data-theme-toggle]").forEach(markThemeSwitch);
    document.querySelectorAll("[data-time-zone]").forEach(guessTimeZone);
    adjust(document);
    document.querySelectorAll("form.composer").forEach(readyChat);
  });
})();
