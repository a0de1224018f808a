import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { loadEarly } from './journal/run-store.ts'
import { watchPrefixes } from './keys/shortcuts.ts'
import { applyTheme } from './parts/theme.ts'
import { router } from './router.tsx'
import './styles/tokens.css'
import './styles/base.css'

applyTheme()
watchPrefixes()
const [, run] = /^\/runs\/([^/]+)$/.exec(location.pathname) ?? []
if (run !== undefined) loadEarly(decodeURIComponent(run))
// Lists are kept up by the event stream; nothing is asked again because a window got the focus.
const queries = new QueryClient({
  defaultOptions: { queries: { refetchOnWindowFocus: false, retry: 1, staleTime: 5_000 } },
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
