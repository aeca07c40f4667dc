import {
  Alert,
  Anchor,
  type AnchorProps,
  Button,
  Card,
  Center,
  Group,
  Skeleton,
  Stack,
  Tabs,
  type TabsListProps,
  Text,
  type TextProps,
  ThemeIcon,
  Title,
  VisuallyHidden,
} from '@mantine/core'
import { type Icon, IconAlertTriangle, IconLock, IconPlugConnectedX, IconQuestionMark } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { createLink, useMatch, useRouter } from '@tanstack/react-router'
import { type ComponentProps, type HTMLAttributes, type ReactNode, useEffect, useRef } from 'react'
import { ApiError } from '../api/api-error.ts'
import { type Texts, useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import classes from './tab-row.module.css'

/** The title of a page that is about one thing; the shell names the others. */
export function PageTitle({ name }: { readonly name: string }) {
  return <title>{`${name} · Tacho`}</title>
}

/** Whether the page at an address has a title of its own. */
export function hasOwnTitle(path: string): boolean {
  return /^\/(cars|trips|incidents|devices)\/.|^\/account/.test(path)
}

/** A link to another page of the console; its address and parameters are checked by the compiler. */
export const PageLink = createLink((props: AnchorProps & Omit<ComponentProps<'a'>, keyof AnchorProps>) => (
  <Anchor {...props} />
))

/**
 * Does what was put off, such as to write into the address, unless the page is being left: it stays until the next one is
 * loaded, which already has the address.
 */
export function useUnlessLeft(): (act: () => void) => void {
  const { history } = useRouter()
  const pathname = useMatch({ strict: false, select: match => match.pathname })
  return act => {
    if (history.location.pathname === pathname) act()
  }
}

/** A car by its name, as a link for those who may see it. */
export function CarLink({ vehicleId, name }: { readonly vehicleId: string; readonly name: string }) {
  const mayReadVehicles = useMay('vehicles')
  if (!mayReadVehicles) return name
  return (
    <PageLink to="/cars/$vehicleId" params={{ vehicleId }} fz="sm">
      {name}
    </PageLink>
  )
}

/**
 * The tabs of a page in one row, which scrolls sideways where the screen is too narrow for all of them; the chosen one is
 * brought into view.
 */
export function TabRow({ chosen, ...props }: TabsListProps & { readonly chosen: string }) {
  const row = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const tab = row.current?.querySelector(`[role=tab][id$="-tab-${chosen}"]`)
    tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [chosen])
  return <Tabs.List ref={row} className={classes.row} {...props} />
}

/** What is said beside or below, or in place of what is not there. */
export function Hint(props: TextProps & Pick<HTMLAttributes<HTMLElement>, 'title' | 'role' | 'children'>) {
  return <Text fz="sm" c="dimmed" {...props} />
}

interface PartProps {
  readonly title: string
  /** At the other end of the title's line. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A part of a page, with its title, in a frame. */
export function Part({ title, aside, children }: PartProps) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} fz="h4">
            {title}
          </Title>
          {aside}
        </Group>
        {children}
      </Stack>
    </Card>
  )
}

/** The lines that stand for what is loading all differ in length. */
const WIDTHS = ['45%', '90%', '75%', '85%', '60%'] as const

/** Stands where content will be, about as it will look. */
export function LoadingState() {
  const texts = useTexts('pageState')
  return (
    <Stack gap="md" mih={160} py="sm" role="status">
      <VisuallyHidden>{texts.loading}</VisuallyHidden>
      {WIDTHS.map(width => (
        <Skeleton key={width} h={14} w={width} />
      ))}
    </Stack>
  )
}

interface EmptyStateProps {
  readonly icon: Icon
  readonly title: string
  /** What to do about it. */
  readonly hint: string
  readonly children?: ReactNode
}

/** Says that there is nothing, and what to do about it. */
export function EmptyState({ icon: Symbol, title, hint, children }: EmptyStateProps) {
  return (
    <Center p="xl" mih={240}>
      <Stack align="center" gap="xs" maw={420}>
        <ThemeIcon size={56} radius="xl" variant="light" color="gray" aria-hidden>
          <Symbol size={30} stroke={1.5} />
        </ThemeIcon>
        <Title order={2} fz="h3" ta="center">
          {title}
        </Title>
        <Text c="dimmed" ta="center">
          {hint}
        </Text>
        {children}
      </Stack>
    </Center>
  )
}

interface ErrorStateProps {
  readonly error: Error
  readonly onRetry?: () => void
}

/** Shows what went wrong and what to do about it, in place of the content. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  const texts = useTexts('pageState')
  const status = error instanceof ApiError ? error.status : undefined
  if (status === 403) return <EmptyState icon={IconLock} title={texts.forbidden} hint={texts.forbiddenHint} />
  if (status === 404) return <EmptyState icon={IconQuestionMark} title={texts.notFound} hint={texts.notFoundHint} />
  const isAway = status === 0 || status === 503
  return (
    <EmptyState
      icon={isAway ? IconPlugConnectedX : IconAlertTriangle}
      title={isAway ? texts.unreachable : texts.failed}
      hint={isAway ? texts.unreachableHint : reasonOf(error, texts)}
    >
      {onRetry && (
        <Button variant="light" onClick={onRetry} mt="sm">
          {texts.tryAgain}
        </Button>
      )}
    </EmptyState>
  )
}

/** In place of what was asked for while it is not here: that it is on its way, or why it does not come. */
export function RequestState({ error, refetch }: Pick<UseQueryResult, 'error' | 'refetch'>) {
  return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <LoadingState />
}

/** Says beside a form why it could not be done; nothing while nothing went wrong. */
export function ErrorAlert({ error }: { readonly error: Error | null }) {
  const texts = useTexts('pageState')
  if (!error) return null
  return (
    <Alert color="red" role="alert">
      {reasonOf(error, texts)}
    </Alert>
  )
}

type ReasonTexts = Pick<Texts<'pageState'>, 'unreachable' | 'loggedOut' | 'forbidden' | 'tooMany'>

/** Why something did not work, for people; reasons that only the service knows are in its own words, which are English. */
export function reasonOf(error: Error, texts: ReasonTexts): string {
  if (!(error instanceof ApiError)) return error.message
  switch (error.status) {
    case 0:
    case 503:
      return texts.unreachable
    case 401:
      return texts.loggedOut
    case 403:
      return texts.forbidden
    case 429:
      return texts.tooMany
    default:
      return error.message
  }
}
