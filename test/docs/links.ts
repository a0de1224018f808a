import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Relative links of a Markdown text that lead nowhere, and anchors that no heading has. */
export function checkLinks(path: string, text: string, folder: string): string[] {
  return withoutCode(text)
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)].flatMap((match) => {
        const complaint = complain(path, match[1]!, text, folder)
        return complaint === undefined ? [] : [`${path}:${index + 1}: ${complaint}`]
      }),
    )
}

function complain(path: string, link: string, text: string, folder: string): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(link)) return undefined
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? path : join(folder, dirname(path), decodeURI(file))
  if (file !== '' && !existsSync(target)) return `${link} leads nowhere`
  if (anchor === undefined || !target.endsWith('.md')) return undefined
  const anchors = anchorsIn(file === '' ? text : readFileSync(target, 'utf8'))
  return anchors.has(anchor) ? undefined : `${link}: no heading has this anchor`
}

/** The anchors that a Markdown viewer gives to headings. */
function anchorsIn(text: string): Set<string> {
  const headings = [...withoutCode(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map((match) => match[1]!)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** Blanks code, in which brackets are not links and number signs not headings; lines keep their numbers. */
function withoutCode(text: string): string {
  return text
    .replace(/^(\s*)(`{3,})[\s\S]*?^\s*\2/gm, (block) => block.replace(/[^\n]/g, ''))
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''))
}
