// Files that are sent with a chat message: chosen, dropped or pasted, uploaded at once, and taken off again.
// All words shown come from the page (templates and data attributes), so that they are translated once.
"use strict";

(() => {
  const PAUSE = 700; // milliseconds between two looks at a file that is being checked and read

  function readyAttachments(form) {
    const list = form.querySelector("[data-attachments]");
    const picker = form.querySelector("[data-attach-files]");
    const button = form.querySelector("[data-attach]");
    const status = form.querySelector("[data-attachment-status]");
    if (!list || !picker || !button) return;
    const words = list.dataset;
    const token = form.elements.csrfmiddlewaretoken.value;
    let removals = 0; // how many files are being forgotten

    button.hidden = false;
    button.addEventListener("click", () => picker.click());
    picker.addEventListener("change", () => {
      attachAll(picker.files);
      picker.value = ""; // The same file may be chosen again.
    });
    form.elements.content.addEventListener("paste", (event) => {
      if (!event.clipboardData.files.length) return;
      event.preventDefault();
      attachAll(event.clipboardData.files);
    });
    const room = form.closest(".chat__main") || form;
    room.addEventListener("dragover", (event) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      form.dataset.dropping = "";
    });
    room.addEventListener("dragleave", () => delete form.dataset.dropping);
    room.addEventListener("drop", (event) => {
      delete form.dataset.dropping;
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      attachAll(event.dataTransfer.files);
    });
    form.addEventListener("chat:sent", (event) => moveTo(event.detail.user));
    form.addEventListener("chat:returned", (event) => moveBack(event.detail.user));
    form.addEventListener("chat:idle", settle);

    function attachAll(files) {
      const left = Number(words.most) - list.children.length;
      if (files.length > left) say(words.tooMany);
      [...files].slice(0, Math.max(0, left)).forEach(attach);
    }

    async function attach(file) {
      const item = document.getElementById("chat-attachment").content.firstElementChild.cloneNode(true);
      item.querySelector("[data-name]").textContent = file.name;
      const remove = item.querySelector("[data-remove]");
      remove.setAttribute("aria-label", words.remove.replace("{name}", () => file.name));
      remove.addEventListener("click", () => takeOff(item));
      list.append(item);
      settle();
      try {
        const uploaded = await upload(file, item);
        // The same bytes are the same file: one that an earlier message has stays when it is taken off this one.
        if (uploaded.in_use === false) item.dataset.newId = uploaded.media_id;
        await follow(item, uploaded);
      } catch (error) {
        refuse(item, error.message || words.failed);
      }
      settle();
    }

    // ``fetch`` tells nothing of how far an upload has come.
    function upload(file, item) {
      const request = new XMLHttpRequest();
      item.upload = request;
      show(item, words.uploading);
      return new Promise((resolve, reject) => {
        request.upload.addEventListener("progress", (event) => {
          if (event.lengthComputable) item.querySelector("progress").value = event.loaded / event.total;
        });
        request.addEventListener("load", () => {
          const answer = parse(request.responseText);
          if (request.status < 300 && answer.media_id) resolve(answer);
          else reject(new Error(answer.message || (request.status === 413 ? words.tooLarge : "")));
        });
        request.addEventListener("error", () => reject(new Error("")));
        request.addEventListener("abort", () => reject(new Error("")));
        const body = new FormData();
        body.append("file", file);
        request.open("POST", words.url);
        request.setRequestHeader("X-CSRFToken", token);
        request.setRequestHeader("Accept", "application/json");
        request.send(body);
      });
    }

    // A file is ready once it was found safe and its text was read, or could not be.
    async function follow(item, state) {
      item.querySelector("progress").removeAttribute("value");
      while (item.isConnected && (state.security_status === "pending" || isUnread(state))) {
        show(item, state.security_status === "pending" ? words.checking : words.reading);
        await new Promise((done) => setTimeout(done, PAUSE));
        const answer = await fetch(`${words.url}/${state.media_id}`, { headers: { Accept: "application/json" } });
        if (!answer.ok) throw new Error("");
        state = await answer.json();
      }
      if (state.security_status !== "safe") throw new Error(words.unsafe);
      const thumbnail = item.querySelector("img");
      if (state.has_thumbnail) {
        thumbnail.src = `${words.url}/${state.media_id}/thumbnail`;
        thumbnail.hidden = false;
      }
      item.querySelector("progress").remove();
      item.querySelector("input").value = state.media_id;
      item.querySelector("input").disabled = false;
      item.dataset.ready = "";
      show(item, state.text_state === "unread" ? words.unread : words.ready);
      say(`${item.querySelector("[data-name]").textContent}: ${item.querySelector("[data-state]").textContent}`);
    }

    function isUnread(state) {
      return state.security_status === "safe" && state.text_state === "waiting";
    }

    function refuse(item, message) {
      if (!item.isConnected) return;
      item.dataset.refused = "";
      item.querySelector("progress")?.remove();
      show(item, message);
      say(`${item.querySelector("[data-name]").textContent}: ${message}`);
    }

    function takeOff(item) {
      item.upload?.abort();
      const next = item.nextElementSibling || item.previousElementSibling;
      item.remove();
      if (item.dataset.newId) {
        const headers = { "X-CSRFToken": token, Accept: "application/json" };
        removals += 1; // An answer that is begun while something is being forgotten would be refused.
        fetch(`${words.url}/${item.dataset.newId}`, { method: "DELETE", headers })
          .catch(() => {})
          .finally(() => {
            removals -= 1;
            settle();
          });
      }
      settle();
      say(words.removed);
      (next?.querySelector("[data-remove]") || button).focus();
    }

    // A message waits for its files; one of files alone gets words of ours.
    function settle() {
      const items = [...list.children];
      list.hidden = !items.length;
      const isWaiting = items.some((item) => !("ready" in item.dataset) && !("refused" in item.dataset));
      const isRefused = items.some((item) => "refused" in item.dataset);
      form.querySelector("[type=submit]").disabled = isWaiting || isRefused || removals > 0 || "busy" in form.dataset;
      const isReady = items.length > 0 && !isWaiting && !isRefused;
      form.elements.content.required = !isReady;
      if (isReady) form.dataset.wordless = words.wordless;
      else delete form.dataset.wordless;
    }

    function moveTo(message) {
      const shown = message.querySelector("[data-sent-files]");
      [...list.children].forEach((item) => {
        item.querySelector("[data-remove]").hidden = true;
        shown.append(item);
      });
      shown.hidden = !shown.children.length;
      settle();
    }

    function moveBack(message) {
      [...message.querySelector("[data-sent-files]").children].forEach((item) => {
        item.querySelector("[data-remove]").hidden = false;
        list.append(item);
      });
      settle();
    }

    function show(item, text) {
      item.querySelector("[data-state]").textContent = text;
    }

    function say(text) {
      status.textContent = text;
    }
  }

  function parse(text) {
    try {
      return JSON.parse(text);
    } catch {
      return {};
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("form.composer").forEach(readyAttachments);
  });
})();
