import { Burger, Group, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTexts } from '../language/language.ts'
import { useLiveState } from '../live/live-state.ts'
import { startLiveUpdates } from '../live/live-updates.ts'
import { startLastState } from '../offline/last-state.ts'
import { AccountMenu } from './account-menu.tsx'
import { LiveIndicator } from './live-indicator.tsx'
import { Navigation } from './navigation.tsx'
import { hasOwnTitle } from './page-title.tsx'
import { pageAt } from './pages.ts'
import { Preferences } from './preferences.tsx'
import { useArrival } from './use-arrival.ts'

/** What surrounds every page; while it is there, the data is kept up to date. */
export function Shell() {
  const texts = useTexts('shell')
  const [isMenuOpen, menu] = useDisclosure(false)
  const path = useRouterState({ select: state => state.location.pathname })
  const page = pageAt(path)?.name
  const announced = useArrival('content')
  const liveState = useLiveState()
  useEffect(startLastState, [])
  useEffect(startLiveUpdates, [])
  return (
    <>
      {!hasOwnTitle(path) && <title>{page ? `${texts[page]} · Tacho` : 'Tacho'}</title>}
      <VisuallyHidden aria-live="polite">{announced}</VisuallyHidden>
      <a href="#content" className="skip-link" onClick={skipToContent}>
        {texts.skipToContent}
      </a>
      <header className="shell-header">
        <Group h="100%" px="md" gap="sm" wrap="nowrap">
          <Burger opened={isMenuOpen} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label={texts.openMenu} />
          <Link to="/" aria-label="Tacho" className="shell-logo" data-away={liveState === 'away' || undefined}>
            <Group gap={8} wrap="nowrap">
              <img src="/icon.svg" alt="" width={28} height={28} />
              <Text fw={700} fz="lg" visibleFrom="xs">
                Tacho
              </Text>
            </Group>
          </Link>
          <LiveIndicator />
          <Group ml="auto" gap="xs" wrap="nowrap">
            <Preferences />
            <AccountMenu />
          </Group>
        </Group>
      </header>
      <nav className="shell-navigation" data-open={isMenuOpen || undefined} aria-label={texts.pages}>
        <Navigation onNavigate={menu.close} />
      </nav>
      <main id="content" className="shell-content" tabIndex={-1}>
        <Outlet />
      </main>
    </>
  )
}

/** The part of the address behind `#` names the page, so a link into the page has to be followed by hand. */
function skipToContent(event: { preventDefault(): void }): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
