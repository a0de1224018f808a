import type { Mutation } from './mutation.ts'

type Part = readonly [name: string, file: string, find: string, replace: string]

const partsOf = (tests: readonly string[], parts: readonly Part[]): Mutation[] =>
  parts.map(([name, file, find, replace]) => ({
    id: `connect.${name}`,
    room: 'connect',
    file: `src/connect/${file}`,
    find,
    replace,
    tests,
  }))

/** Refusals of the connectors that have no name in `checks.ts`. */
export const CONNECT_REFUSALS: readonly Mutation[] = [
  ...partsOf(
    ['test/connect/refusals.test.ts'],
    [['files.upward', 'files/names.ts', "if (name === '..')", 'if (false)']],
  ),
  ...partsOf(
    ['test/files/fs-corpus.test.ts', 'test/files/file-tools.test.ts'],
    [
      ['files.absolute', 'files/names.ts', 'if (/^[\\\\/]|^[a-z]:/i.test(path))', 'if (false)'],
      ['files.backslash', 'files/names.ts', "if (path.includes('\\\\'))", 'if (false)'],
      ['files.unseen', 'files/names.ts', 'if (UNSEEN.test(name)) throw', 'if (false) throw'],
      ['files.device-names', 'files/names.ts', 'if (DEVICE.test(name) ||', 'if ('],
      ['files.text-only', 'files/read.ts', "if (encoding === 'utf-8' && isBinary(bytes))", 'if (false)'],
    ],
  ),
  ...partsOf(
    ['test/connect/ssrf-corpus.test.ts', 'src/connect/http/http-allow.test.ts', 'src/connect/http/http-fetch.test.ts'],
    [
      [
        'http.protocol',
        'http/http-allow.ts',
        "if (url.protocol !== 'http:' && url.protocol !== 'https:')",
        'if (false)',
      ],
      ['http.credentials', 'http/http-allow.ts', "if (url.username !== '' || url.password !== '')", 'if (false)'],
      [
        'http.encoded-path',
        'http/http-allow.ts',
        "/i.test(url.pathname) && rules.some(({ path }) => path !== '/')",
        '/i.test(url.pathname) && false',
      ],
      ['http.private-literal', 'http/http-allow.ts', 'if (address !== undefined && !isPublic(address))', 'if (false)'],
    ],
  ),
]
