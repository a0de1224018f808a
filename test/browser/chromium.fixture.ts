import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'
import { rolldown } from 'rolldown'
import { findProgram } from '../requirements.ts'

/** The browser's path; tests that need it are skipped where it is missing. */
export const CHROMIUM: string | undefined = findProgram({
  program: 'chromium',
  neededFor: 'pages in a real browser',
})

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']

/** Starts a browser with a profile of its own. One for a file of tests is enough: each test opens its own page. */
export function launchChromium(): Promise<Browser> {
  const args = [...FLAGS, '--disable-component-update', '--disable-sync']
  // Scrollbars take room in most browsers, and show what scrolls that should not: they are hidden from tests by default.
  return chromium.launch({ executablePath: CHROMIUM!, args, ignoreDefaultArgs: ['--hide-scrollbars'] })
}

/** A script for browsers from a module and all that it imports. */
export async function bundlePage(file: string): Promise<string> {
  const build = await rolldown({
    input: file,
    platform: 'browser',
    resolve: { conditionNames: ['mandate-source', 'browser', 'import', 'default'] },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  })
  // In one piece: what is loaded at its first use is served by nobody.
  const { output } = await build.generate({ format: 'esm', minify: false, codeSplitting: false })
  await build.close()
  return output[0].code
}

/** Serves a page with one script on an origin of its own. */
export async function servePage(script: string): Promise<{ readonly origin: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/page.js'
    response.setHeader('content-type', isScript ? 'text/javascript; charset=utf-8' : 'text/html; charset=utf-8')
    response.end(
      isScript
        ? script
        : '<!doctype html><title>page</title><div id="root"></div><script type="module" src="/page.js"></script>',
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
