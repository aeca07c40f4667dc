import './shell/styles.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { startLanguage } from './language/language.ts'
import { ensureValidLocale } from './language/valid-locale.ts'
import { preloadMap } from './map/preload-map.ts'
import { keepApp } from './offline/keep-app.ts'

preloadMap()
ensureValidLocale()
const root = document.getElementById('root')
if (!root) throw new Error('the page has no place for the console')
const place = createRoot(root)
void startLanguage().then(() =>
  place.render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
)
keepApp()
