// The documents as a site. Everything it shows comes from `docs/`: `npm run docs` writes `src/content` and `src/sidebar.json`.
import { readFileSync } from 'node:fs'
import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const rag = { ...read('../editors/rag.tmLanguage.json'), name: 'rag' }

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
      lastUpdated: false,
      credits: false,
    }),
  ],
})
