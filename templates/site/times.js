// Adds relative times, such as "2 hours ago"; the page itself does not depend on the clock.
const formatter = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const units = [["day", 86400], ["hour", 3600], ["minute", 60]];
const hour = 3600;
for (const time of document.querySelectorAll("time[datetime]")) {
  const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
  if (Number.isNaN(seconds)) continue;
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ["minute", 60];
  const ago = document.createElement("span");
  ago.className = "ago";
  ago.textContent = ` (${formatter.format(Math.round(seconds / size), unit)})`;
  time.append(ago);
  if (time.dataset.kind === "due" && seconds < -hour) {
    const late = document.createElement("strong");
    late.className = "late";
    late.textContent = " overdue";
    time.after(late);
  }
}
