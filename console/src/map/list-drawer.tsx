import { Button, Drawer } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconList } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { formatNumber } from '../language/format.ts'
import { useLanguage, useTexts } from '../language/language.ts'

interface ListDrawerProps {
  /** How many cars are in the list. */
  readonly count: number
  /** The list; choosing a car in it closes the drawer. */
  readonly list: (close: () => void) => ReactNode
}

/** The list on a phone: a button on the map opens it, over the map. */
export function ListDrawer({ count, list }: ListDrawerProps) {
  const texts = useTexts('map')
  const dialog = useTexts('dialog')
  const language = useLanguage()
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button
        pos="absolute"
        bottom={36}
        left="50%"
        style={{ transform: 'translateX(-50%)' }}
        radius="xl"
        leftSection={<IconList size={18} aria-hidden />}
        onClick={open}
      >
        {texts.openList(formatNumber(count, language))}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="bottom"
        size="80%"
        title={texts.cars}
        closeButtonProps={{ 'aria-label': dialog.close }}
        styles={{
          content: { display: 'flex', flexDirection: 'column' },
          body: { flex: 1, minHeight: 0, padding: 0 },
        }}
      >
        {list(close)}
      </Drawer>
    </>
  )
}
