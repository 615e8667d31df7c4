self.addEventListener("fetch", () => { for (;;); });
