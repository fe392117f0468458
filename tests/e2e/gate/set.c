int set;
