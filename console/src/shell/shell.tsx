import { ActionIcon, Badge, Burger, Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBook, IconKey, IconLogout, IconQuestionMark, IconSearch, IconUser } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { useSelector } from '@tanstack/react-store'
import { lazy, Suspense, useEffect, useState } from 'react'
import { Menu, MenuItem } from '../dialog/menu.tsx'
import { formatAge, useNow, useTexts } from '../language/language.ts'
import { live } from '../live/live-state.ts'
import { startLiveUpdates } from '../live/live-updates.ts'
import { startLastState } from '../offline/last-state.ts'
import { EmptyState, hasOwnTitle } from '../page/page.tsx'
import { logOut } from '../session/session.ts'
import { sessionQuery } from '../session/use-session.ts'
import { Navigation, pageAt } from './navigation.tsx'
import { persistently } from './persistently.ts'
import { Preferences } from './preferences.tsx'
import { ShortcutsDialog, useShortcuts } from './shortcuts.tsx'

const Palette = lazy(persistently(() => import('./palette.tsx').then(({ Palette: loaded }) => ({ default: loaded }))))

/** When pages have long been drawn; what is typed before the palette is there would be lost. */
const LOAD_PALETTE_AFTER_MS = 3000

/** What surrounds every page; while it is there, the data is kept up to date. */
export function Shell() {
  const texts = useTexts('shell')
  const [isMenuOpen, menu] = useDisclosure(false)
  const path = useRouterState({ select: state => state.location.pathname })
  const page = pageAt(path)?.name
  const announced = useArrival('content')
  useEffect(() => keepFocus('content'), [])
  const { stream } = useSelector(live)
  const palette = useTexts('palette')
  const [opening, setOpening] = useState(0)
  const [hasPalette, setHasPalette] = useState(false)
  const [showsShortcuts, setShowsShortcuts] = useState(false)
  const openPalette = () => setOpening(before => before + 1)
  const openShortcuts = () => setShowsShortcuts(true)
  useShortcuts(openPalette, openShortcuts)
  useEffect(() => {
    const timer = setTimeout(() => setHasPalette(true), LOAD_PALETTE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  // Also when the page was chosen in the palette, by keys, or by going back.
  const { close: closeMenu } = menu
  useEffect(closeMenu, [path, closeMenu])
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
          <Link to="/" aria-label="Tacho" className="shell-logo" data-away={stream === 'away' || undefined}>
            <Group gap={8} wrap="nowrap">
              <img src="/icon.svg" alt="" width={28} height={28} />
              <Text fw={700} fz="lg" visibleFrom="xs">
                Tacho
              </Text>
            </Group>
          </Link>
          <LiveIndicator />
          <Group ml="auto" gap="xs" wrap="nowrap">
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={palette.open}
              onClick={openPalette}
              // That nobody answers needs the room on a phone, and there is little to find then.
              {...(stream === 'away' && { visibleFrom: 'xs' as const })}
            >
              <IconSearch size={18} stroke={1.6} />
            </ActionIcon>
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
      {(opening > 0 || hasPalette) && (
        <Suspense>
          <Palette opening={opening} onShortcuts={openShortcuts} />
        </Suspense>
      )}
      {showsShortcuts && <ShortcutsDialog onClose={() => setShowsShortcuts(false)} />}
    </>
  )
}

/** The part of the address behind `#` names the page, so a link into the page has to be followed by hand. */
function skipToContent(event: { preventDefault(): void }): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}

const COLORS = { live: 'teal', connecting: 'gray', away: 'red' } as const

/** Whether what is shown follows the fleet at the moment. */
function LiveIndicator() {
  const texts = useTexts('shell')
  const { asOf } = useTexts('live')
  const { stream, knownSinceMs } = useSelector(live)
  const nowMs = useNow()
  return (
    <Stack gap={2} align="flex-start" miw={0}>
      <Badge
        color={COLORS[stream]}
        variant={stream === 'live' ? 'light' : 'filled'}
        role="status"
        tt="none"
        miw="fit-content"
        title={stream === 'away' ? texts.awayHint : texts.liveHint}
      >
        {texts[stream]}
      </Badge>
      {stream === 'away' && knownSinceMs !== undefined && (
        <Text size="xs" c="dimmed" lh={1} truncate maw="100%">
          {asOf(formatAge(knownSinceMs, nowMs))}
        </Text>
      )}
    </Stack>
  )
}

function AccountMenu() {
  const texts = useTexts('shell')
  const { data: session } = useQuery(sessionQuery)
  return (
    <Menu
      renderTarget={opener => (
        <ActionIcon variant="default" size="lg" aria-label={texts.account} {...opener}>
          <IconUser size={18} stroke={1.6} />
        </ActionIcon>
      )}
    >
      {session && (
        <Text fz="xs" c="dimmed" p="xs" role="presentation">
          {`${session.name} · ${session.account.name}`}
        </Text>
      )}
      <MenuItem leftSection={<IconBook size={16} />} href="/docs">
        {texts.apiDocumentation}
      </MenuItem>
      {session?.kind === 'user' && (
        <MenuItem leftSection={<IconKey size={16} />} renderRoot={props => <Link {...props} to="/account" />}>
          {texts.profile}
        </MenuItem>
      )}
      <MenuItem leftSection={<IconLogout size={16} />} onClick={() => void logOut()}>
        {texts.logOut}
      </MenuItem>
    </Menu>
  )
}

export function NotFoundPage() {
  const texts = useTexts('shell')
  return (
    <EmptyState icon={IconQuestionMark} title={texts.pageNotFound} hint={texts.pageNotFoundHint}>
      <Button component={Link} to="/" variant="light" mt="sm">
        {texts.toStart}
      </Button>
    </EmptyState>
  )
}

/**
 * When what has the focus is removed, such as the row of what was deleted, the page has it: else the tab key began with the document again.
 *
 * @returns ends that
 */
function keepFocus(contentId: string): () => void {
  let focused: EventTarget | null = null
  const note = ({ target }: FocusEvent) => {
    focused = target
  }
  const removals = new MutationObserver(() => {
    if (!(focused instanceof Element) || focused.isConnected || document.activeElement !== document.body) return
    document.getElementById(contentId)?.focus({ preventScroll: true })
  })
  document.addEventListener('focusin', note)
  removals.observe(document.body, { childList: true, subtree: true })
  return () => {
    document.removeEventListener('focusin', note)
    removals.disconnect()
  }
}

/** Most pages that ask the service what they are about give themselves their titles in this time; those of others are read out later. */
const TITLE_MS = 400

/**
 * After a navigation the new page has the focus, so that the next key does something on it, and its title is read out.
 *
 * @returns what is to be read out
 */
function useArrival(contentId: string): string {
  const router = useRouter()
  const [announced, setAnnounced] = useState('')
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const announce = () => {
      clearTimeout(timer)
      timer = setTimeout(() => setAnnounced(document.title), TITLE_MS)
    }
    const titles = new MutationObserver(announce)
    const stop = router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
      if (!pathChanged || !fromLocation) return
      const content = document.getElementById(contentId)
      // What the person left is gone, and what the new page gave the focus to keeps it.
      if (!content?.contains(document.activeElement)) content?.focus({ preventScroll: true })
      announce()
      titles.observe(document.head, { childList: true, subtree: true, characterData: true })
    })
    return () => {
      stop()
      titles.disconnect()
      clearTimeout(timer)
    }
  }, [router, contentId])
  return announced
}
