import { createContext, type ComponentType, type ReactElement, type ReactNode } from "react";

/** What opened a menu; by key its first item has the focus. */
export type OpenedBy = "key" | "pointer";

export interface MenuPanelProps {
  trigger: ReactElement;
  align: "start" | "end";
  openedBy: OpenedBy;
  children: ReactNode;
}

export interface MenuItemProps {
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
  children: ReactNode;
}

export interface MenuChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: ReadonlyArray<{ value: Value; label: string; icon?: ReactNode; lang?: string }>;
  onChange: (value: Value) => void;
}

/** How the parts of an open menu are drawn; that code is loaded with the first open menu. */
export interface MenuParts {
  Item: ComponentType<MenuItemProps>;
  Link: ComponentType<{ children: ReactElement }>;
  Separator: ComponentType;
  Choice: <Value extends string>(props: MenuChoiceProps<Value>) => ReactNode;
}

export const Parts = createContext<MenuParts | null>(null);
