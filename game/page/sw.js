// The service worker. What the server has is always asked for first, so no page is older than the server's; what is kept
// is shown only where there is no answer, and then the page tells that the server is away and tries again. The game
// itself (/api and /ws) never passes through here.
//
// The server writes a line before this one: const SHELL = { version, files }, the page's files and a digest of them all.

const PREFIX = "rummy ";
const CACHE = PREFIX + SHELL.version;
const AWAY = new Set([502, 503, 504]); // what a proxy answers for a server that is not there

self.addEventListener("install", (event) => event.waitUntil(fetchShell()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));

async function fetchShell() {
  const cache = await caches.open(CACHE);
  await cache.addAll(SHELL.files.map((file) => new Request(file, { cache: "reload" })));
  await self.skipWaiting(); // the pages that are open ask the server first too: nothing changes for them
}

async function takeOver() {
  for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    if (pathname === "/" || /^\/(room|replay)\/[^/]+$/.test(pathname)) event.respondWith(ask(request, keptPage));
  } else if (pathname.startsWith("/page/")) event.respondWith(ask(request, () => kept(pathname)));
});

async function ask(request, otherwise) {
  let answer = null;
  try {
    answer = await fetch(request);
    if (!AWAY.has(answer.status)) return answer;
  } catch {
    // No server, no network.
  }
  return (await otherwise()) ?? answer ?? Response.error();
}

function kept(pathname) {
  return caches.match(pathname, { cacheName: CACHE });
}

/** The page as it was last seen, marked so that it knows: once the server is there again it loads itself anew. */
async function keptPage() {
  const page = await kept("/");
  if (!page) return undefined;
  const headers = new Headers(page.headers);
  for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  return new Response((await page.text()).replace("<html ", "<html data-kept "), { headers });
}
