import {
  ActionIcon,
  type ActionIconProps,
  Box,
  Center,
  CloseButton,
  Group,
  Paper,
  type PaperProps,
  Text,
  useComputedColorScheme,
} from '@mantine/core'
import { type Icon, IconMapOff } from '@tabler/icons-react'
import { type ComponentType, lazy, type ReactNode } from 'react'
import { useTexts } from '../language/language.ts'
import { EmptyState } from '../page/page.tsx'
import { persistently } from '../shell/persistently.ts'
import { paletteOf } from './palette.ts'

/**
 * A map, whose code is three times that of everything else: it is loaded when the map is wanted, and not at all by a browser that
 * cannot draw one.
 */
export function lazyMap<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(
    persistently(
      async (): Promise<{ default: ComponentType<Props> }> => ({
        default: canDrawMaps() ? await load() : NoMap,
      }),
    ),
  )
}

function canDrawMaps(): boolean {
  const context = document.createElement('canvas').getContext('webgl2')
  // A browser has few of them.
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  return context !== null
}

function NoMap() {
  const texts = useTexts('baseMap')
  return (
    <Center h="100%" bg="var(--mantine-color-body)">
      <EmptyState icon={IconMapOff} title={texts.cannotDraw} hint={texts.cannotDrawHint} />
    </Center>
  )
}

/** Where the map will be, in its colour. */
export function MapGround() {
  const isDark = useComputedColorScheme('light') === 'dark'
  return <Box h="100%" w="100%" bg={paletteOf(isDark).water} aria-busy />
}

interface MapButtonProps extends ActionIconProps {
  readonly label: string
  readonly icon: Icon
  /** Of a button that shows something and hides it again. */
  readonly isPressed?: boolean
  readonly onClick: () => void
}

/** A button upon a map, as large as those of the library. */
export function MapButton({ label, icon: Symbol, isPressed, ...others }: MapButtonProps) {
  return (
    <ActionIcon variant="default" size={31} aria-label={label} title={label} aria-pressed={isPressed} {...others}>
      <Symbol size={17} stroke={1.8} color={isPressed ? 'var(--mantine-color-anchor)' : undefined} />
    </ActionIcon>
  )
}

interface MapNoteProps extends PaperProps {
  readonly text: string
  readonly role: 'note' | 'status'
  readonly onHide: () => void
  readonly children?: ReactNode
}

/** Something that is said upon a map until somebody hides it. */
export function MapNote({ text, onHide, children, ...others }: MapNoteProps) {
  const texts = useTexts('baseMap')
  return (
    <Paper pos="absolute" left={8} right={92} p={6} pl="sm" shadow="sm" {...others}>
      <Group gap="xs" wrap="nowrap" align="start" justify="space-between">
        <Text size="sm">{text}</Text>
        <CloseButton size="sm" aria-label={texts.hide} onClick={onHide} />
      </Group>
      {children}
    </Paper>
  )
}
