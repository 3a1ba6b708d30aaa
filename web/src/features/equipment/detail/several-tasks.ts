import { createContext, useContext } from "react";

/** Whether the page's machine may have several tasks, so that its regular service has to be named. */
const SeveralTasks = createContext(true);

export const SeveralTasksProvider = SeveralTasks.Provider;

export function useSeveralTasks(): boolean {
  return useContext(SeveralTasks);
}
