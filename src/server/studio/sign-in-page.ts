import { createHash } from 'node:crypto'

/** Uses the colours of the studio; `studio/src/styles/tokens.css` contains their names. */
const STYLE = `:root { color-scheme: light dark; }
body { margin: 0; min-height: 100dvh; display: grid; place-items: center; font: 0.875rem/1.5 system-ui, sans-serif;
  background: light-dark(#f7f8fa, #101319); color: light-dark(#1b2230, #e6e9ef); }
main { box-sizing: border-box; width: min(32rem, 100vw - 2rem); padding: 1.5rem; border-radius: 8px;
  background: light-dark(#ffffff, #171b23); border: 1px solid light-dark(#d9dde5, #2a303c); }
h1 { margin: 0 0 0.5rem; font-size: 1.375rem; }
p { margin: 0.5rem 0 0; }
code { font: 0.8125rem ui-monospace, monospace; }`

/**
 * Leads a browser that has been signed in to the place of its studio, for addresses without it. Only pages of this origin can have stored it: pages of other
 * ports have a storage of their own.
 */
const SCRIPT = `const place = localStorage.getItem('mandate-studio') ?? ''
if (/^\\/~[A-Za-z0-9_-]+$/.test(place) && !location.pathname.startsWith('/~'))
  location.replace(place + (location.pathname === '/open' ? '/' : location.pathname + location.search))`

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in · Mandate Studio</title>
<style>${STYLE}</style></head>
<body><main><h1>This browser is not signed in</h1>
<p>Open the link that <code>mandate studio</code> or <code>mandate serve</code> printed when it started.</p>
<p>The link works once, within ten minutes, and signs a browser in for twelve hours. Start the command again for a new one.</p></main>
<script>${SCRIPT}</script></body></html>
`

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** Allows only this inline style and script, because unauthenticated clients get this page. */
const POLICY = `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const HEADERS = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY }

/** Returns the page for a browser that has not opened the sign-in link. */
export function notSignedIn(): Response {
  return new Response(PAGE, { status: 401, headers: HEADERS })
}
