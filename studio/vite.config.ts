import { defineConfig } from 'vite'
import type { UserConfig } from 'vite'
import react from '@vitejs/plugin-react'

/** The page is built into the package: `dist/studio` is what the server gives out. */
const config: UserConfig = defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../dist/studio',
    emptyOutDir: true,
    // The server sends no inline script, so that its content security policy can refuse all of them.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    sourcemap: false,
    // Which files each page loads: the test of their sizes reads it.
    manifest: true,
  },
})

export default config
