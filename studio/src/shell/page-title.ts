import { PAGES } from './pages.ts'

/** Returns the title of the browser tab: the item, the page, and the number of open requests. */
export function pageTitle(pathname: string, waiting: string): string {
  const [first = '', id] = pathname.split('/').filter(Boolean)
  const page = first === 'runs' ? 'Run' : PAGES.find(({ to }) => to === `/${first}`)?.title
  const shown = [id === undefined ? undefined : decoded(id), page, 'Mandate Studio'].filter(Boolean).join(' · ')
  return waiting === '' ? shown : `(${waiting}) ${shown}`
}

/** Decodes a part of an address; an invalid encoding is returned unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
