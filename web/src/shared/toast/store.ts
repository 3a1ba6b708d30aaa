import { createStore } from "../store";

export interface Toast {
  id: number;
  tone: "success" | "failure";
  title: string;
  description?: string | undefined;
  /** Offered for ten seconds. */
  action?: ToastAction | undefined;
}

export interface ToastAction {
  label: string;
  run: () => void;
}

// One toast at a time: a newer one replaces it.
export const shownToast = createStore<Toast | null>(null);
export const currentToast = shownToast.get;
let nextId = 1;

/** Never the only place of an error: pages and forms show it too. */
export const toast = {
  success(title: string, description?: string, action?: ToastAction): void {
    shownToast.set({ id: nextId++, tone: "success", title, description, action });
  },
  failure(title: string, description?: string, action?: ToastAction): void {
    shownToast.set({ id: nextId++, tone: "failure", title, description, action });
  },
  dismiss(): void {
    shownToast.set(null);
  },
};
