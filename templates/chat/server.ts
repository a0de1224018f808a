// Starts the API, and the page with Vite, which passes /api on.
import react from '@vitejs/plugin-react'
import { openStore } from 'mandate/sqlite'
import { createServer } from 'vite'
import { openApi } from './src/api.ts'

const port = Number(process.env['PORT'] ?? 5173)
const api = await openApi(`http://localhost:${port}`, { store: await openStore() })
const { url } = await api.listen()
const page = await createServer({
  configFile: false,
  root: import.meta.dirname,
  plugins: [react()],
  server: { port, strictPort: true, proxy: { '/api': { target: url, changeOrigin: true } } },
})
await page.listen()
console.log(`Chat: http://localhost:${port}   (Ctrl-C ends it)`)

process.once('SIGINT', () => void stop())
process.once('SIGTERM', () => void stop())

async function stop(): Promise<void> {
  await page.close()
  await api.close()
  process.exit(0)
}
