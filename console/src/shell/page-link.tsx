import { Anchor, type AnchorProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { type AnchorHTMLAttributes, forwardRef } from 'react'

type PlainAnchorProps = AnchorProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps>

const PlainAnchor = forwardRef<HTMLAnchorElement, PlainAnchorProps>((props, ref) => <Anchor ref={ref} {...props} />)
PlainAnchor.displayName = 'PlainAnchor'

/** A link to another page of the console; its address and parameters are checked by the compiler. */
export const PageLink = createLink(PlainAnchor)
