import { use, type ComponentProps, type MouseEvent } from "react";
import { NavigationContext } from "../navigation";

/** A link to a page of this site that works with and without the application's router. */
export function PageLink({
  to,
  children,
  ...rest
}: Omit<ComponentProps<"a">, "href" | "onClick" | "onFocus" | "onPointerEnter"> & { to: string }) {
  const navigation = use(NavigationContext);
  const follow = (event: MouseEvent) => {
    const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
    if (!navigation || elsewhere || event.button !== 0) return;
    event.preventDefault();
    navigation.go(to);
  };
  const prepare = () => navigation?.prepare(to);
  return (
    <a {...rest} href={to} onClick={follow} onFocus={prepare} onPointerEnter={prepare}>
      {children}
    </a>
  );
}
