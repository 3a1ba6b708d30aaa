import {
  use,
  type ComponentProps,
  type FocusEvent,
  type MouseEvent,
  type PointerEvent,
} from "react";
import { NavigationContext } from "../navigation";

/** A link to a page of this site that works with and without the application's router. */
export function PageLink({
  to,
  children,
  onClick,
  onFocus,
  onPointerEnter,
  ...rest
}: Omit<ComponentProps<"a">, "href"> & { to: string }) {
  const navigation = use(NavigationContext);
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (!navigation || elsewhere || event.button !== 0) return;
    event.preventDefault();
    void navigation.go(to);
  };
  const prepare = () => navigation?.prepare(to);
  return (
    <a
      aria-current={navigation?.path === to ? "page" : undefined}
      {...rest}
      href={to}
      onClick={follow}
      onFocus={(event: FocusEvent<HTMLAnchorElement>) => {
        onFocus?.(event);
        prepare();
      }}
      onPointerEnter={(event: PointerEvent<HTMLAnchorElement>) => {
        onPointerEnter?.(event);
        prepare();
      }}
    >
      {children}
    </a>
  );
}
