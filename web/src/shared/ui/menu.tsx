import {
  cloneElement,
  use,
  useState,
  type ComponentPropsWithRef,
  type ReactElement,
  type ReactNode,
} from "react";
import { useTranslation } from "react-i18next";
import { onDemand, useIsLoaded, type Loadable } from "../on-demand";
import { toast } from "../toast/store";
import {
  Parts,
  type MenuChecksProps,
  type MenuChoiceProps,
  type MenuItemProps,
  type MenuPanelProps,
  type MenuParts,
  type OpenedBy,
} from "./menu-parts";

const panel = onDemand<MenuPanelProps>(() =>
  import("./menu-panel").then((module) => module.MenuPanel),
);
/** A menu of actions. `trigger` is the button. The menu's code is loaded on the first press. */
export function Menu({
  trigger,
  align = "end",
  needs = panel,
  children,
}: {
  trigger: ReactElement<ComponentPropsWithRef<"button">>;
  align?: "start" | "center" | "end";
  /** Loads the items' code, if it is not part of the page. */
  needs?: Loadable;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const isPanelLoaded = useIsLoaded(panel);
  const isLoaded = useIsLoaded(needs) && isPanelLoaded;
  const [openedBy, setOpenedBy] = useState<OpenedBy | null>(null);
  if (openedBy && isLoaded) {
    return <panel.Component {...{ trigger, align, openedBy, children }} />;
  }
  const load = () => Promise.all([panel.load(), needs.load()]);
  const preload = () => void load().catch(() => undefined);
  const open = (by: OpenedBy) => {
    if (openedBy) return;
    setOpenedBy(by);
    load().catch(() => {
      setOpenedBy(null);
      toast.failure(t("errors.network"));
    });
  };
  return cloneElement(trigger, {
    "aria-haspopup": "menu",
    "aria-expanded": false,
    onPointerEnter: preload,
    onFocus: preload,
    onPointerDown: (event) => {
      if (event.button !== 0 || event.ctrlKey) return;
      // The focus goes to the menu.
      event.preventDefault();
      open("pointer");
    },
    onKeyDown: (event) => {
      if (!["Enter", " ", "ArrowDown"].includes(event.key)) return;
      event.preventDefault();
      open("key");
    },
    // Assistive technology clicks without a pointer.
    onClick: () => open("key"),
  });
}

function useParts(): MenuParts {
  const parts = use(Parts);
  if (!parts) throw new Error("A part of a menu is rendered outside of an open menu");
  return parts;
}

export function MenuItem(props: MenuItemProps) {
  const { Item } = useParts();
  return <Item {...props} />;
}

/** A link item; the only child is the link. */
export function MenuLink(props: { children: ReactElement }) {
  const { Link } = useParts();
  return <Link {...props} />;
}

export function MenuSeparator() {
  const { Separator } = useParts();
  return <Separator />;
}

export function MenuChoice<Value extends string>(props: MenuChoiceProps<Value>) {
  const { Choice } = useParts();
  return <Choice {...props} />;
}

export function MenuChecks<Value extends string>(props: MenuChecksProps<Value>) {
  const { Checks } = useParts();
  return <Checks {...props} />;
}
