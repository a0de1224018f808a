import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isRefusal } from './api/client.ts'
import { rememberPlace } from './api/place.ts'
import { listenForKeys } from './keys/shortcuts.ts'
import { applyTheme } from './parts/theme.ts'
import { router } from './router.tsx'
import './styles/tokens.css'
import './styles/base.css'

applyTheme()
rememberPlace()
listenForKeys()
// The event stream keeps lists up to date, so no refetch is needed when the window gets the focus.
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 1 && !isRefusal(error),
      staleTime: 5_000,
    },
  },
})

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
