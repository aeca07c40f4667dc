import { Button, type ButtonProps, Popover, Stack } from '@mantine/core'
import { type AnchorHTMLAttributes, type KeyboardEvent, type ReactElement, type ReactNode, useState } from 'react'

interface MenuProps {
  /** What opens it. */
  readonly renderTarget: (opener: MenuOpener) => ReactElement
  /** Items, and what is above them. */
  readonly children: ReactNode
}

interface MenuOpener {
  readonly onClick: () => void
  readonly 'aria-haspopup': 'menu'
  readonly 'aria-expanded': boolean
}

/** Some actions behind a button: arrow keys go through them, Escape closes (WAI-ARIA, *Menu Button*). */
export function Menu({ renderTarget, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const opener: MenuOpener = {
    onClick: () => setOpen(!isOpen),
    'aria-haspopup': 'menu',
    'aria-expanded': isOpen,
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus withRoles={false}>
      <Popover.Target>{renderTarget(opener)}</Popover.Target>
      <Popover.Dropdown p={4} onClick={() => setOpen(false)}>
        <Stack gap={0} role="menu" onKeyDown={goThrough}>
          {children}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

function goThrough(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key]
  if (step === undefined) return
  event.preventDefault()
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)')]
  const index = items.findIndex(item => item === document.activeElement)
  items.at((index + step) % items.length)?.focus()
}

type ItemProps = ButtonProps & {
  readonly onClick?: () => void
  /** Of another page, which opens beside this one. */
  readonly href?: string
  /** Makes a link of it: another element with the properties of the item. */
  readonly renderRoot?: (props: AnchorHTMLAttributes<HTMLAnchorElement>) => ReactNode
}

const LOOKS = {
  variant: 'subtle',
  color: 'gray',
  c: 'var(--mantine-color-text)',
  fw: 'normal',
  justify: 'start',
  fullWidth: true,
  role: 'menuitem',
} as const

/** One of the actions of a menu. */
export function MenuItem({ href, ...props }: ItemProps) {
  return href === undefined ? (
    <Button {...LOOKS} {...props} />
  ) : (
    <Button {...LOOKS} {...props} component="a" href={href} target="_blank" rel="noopener" />
  )
}
