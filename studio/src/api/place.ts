/** The path that this studio is served under, `/~…`. The cookie of the browser is sent there and nowhere else. Tests load parts of the page without a browser. */
export const PLACE: string = /^\/~[A-Za-z0-9_-]+/.exec('location' in globalThis ? location.pathname : '')?.[0] ?? ''

/** Remembers the place for addresses without it: the sign-in page leads there. */
export function rememberPlace(): void {
  if (PLACE !== '') localStorage.setItem('mandate-studio', PLACE)
}
