const KEY = 'mandate-theme'

/** Applies the stored theme, if any; otherwise the theme of the system is used. */
export function applyTheme(): void {
  const chosen = localStorage.getItem(KEY)
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset['theme'] = chosen
}

export function toggleTheme(): void {
  const now =
    document.documentElement.dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  const next = now === 'dark' ? 'light' : 'dark'
  localStorage.setItem(KEY, next)
  document.documentElement.dataset['theme'] = next
}
