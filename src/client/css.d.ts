/** Style sheets that come with the script that imports them. */
declare module '*.css';
