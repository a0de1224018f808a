import { PAGES } from './pages.ts'

/** What a tab of the browser is called: the page, the one thing that it shows, and how much waits for a person. */
export function pageTitle(pathname: string, waiting: string): string {
  const [first = '', id] = pathname.split('/').filter(Boolean)
  const page = first === 'runs' ? 'Run' : PAGES.find(({ to }) => to === `/${first}`)?.title
  const shown = [id === undefined ? undefined : decoded(id), page, 'Mandate Studio'].filter(Boolean).join(' · ')
  return waiting === '' ? shown : `(${waiting}) ${shown}`
}

/** Addresses that nobody could have made are shown as they are. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
