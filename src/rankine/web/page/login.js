// A link from a mail arrives without the cookie, which is only sent from this site. So the page first loads its own
// address again, from this site; if that does not help, it asks for the token.

const MARK = "rankine-entered";
const form = document.getElementById("enter");
const said = document.getElementById("said");

function first() {
  try {
    if (sessionStorage.getItem(MARK) === location.href) return false;
    sessionStorage.setItem(MARK, location.href);
    return true;
  } catch {
    return false;
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  said.textContent = "";
  const body = JSON.stringify({ token: document.getElementById("token").value.trim() });
  try {
    const answer = await fetch("/session", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    if (answer.ok) location.replace(location.href);
    else said.textContent = (await answer.json().catch(() => null))?.error?.message ?? "This token does not open the archive.";
  } catch {
    said.textContent = "The server does not answer. Is `rankine spoken serve` still running?";
  }
});

if (first()) location.replace(location.href);
else form.hidden = false;
