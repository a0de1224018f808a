// The documents as a site. Everything it shows comes from `docs/`: `npm run docs` writes `src/content` and `src/sidebar.json`.
import { readFileSync } from 'node:fs'
import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const rag = { ...read('../editors/rag.tmLanguage.json'), name: 'rag' }

const FOCUSABLE_TABLES =
  "for (const table of document.querySelectorAll('.sl-markdown-content table')) if (table.scrollWidth > table.clientWidth) table.tabIndex = 0"

export default defineConfig({
  base: process.env.DOCS_BASE ?? '/',
  trailingSlash: 'always',
  integrations: [
    starlight({
      title: 'Mandate',
      social: [{ icon: 'github', label: 'GitHub', href: 'https://github.com/mandate-runtime/mandate' }],
      favicon: '/favicon.svg',
      customCss: ['./src/style.css'],
      sidebar: read('./src/sidebar.json'),
      expressiveCode: { shiki: { langs: [rag] } },
      // Wide tables scroll: by keyboard too.
      head: [{ tag: 'script', attrs: { type: 'module' }, content: FOCUSABLE_TABLES }],
      lastUpdated: false,
      credits: false,
    }),
  ],
})
